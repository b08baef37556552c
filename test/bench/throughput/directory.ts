import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { machineTimeMs } from '../written-at.ts';
import { certificateOf, nameOf } from './certificates.ts';
import { startService, type RunningService } from '../service.ts';
import { createPlace } from './place.ts';
import { usageOf } from './process-usage.ts';
import type { Sample } from './sample.ts';
import type { Stage } from './stage.ts';
import { configurationsOf, type Subscribers } from './subscribers.ts';

const partitions = 12;
const updates = 20;

/** A service that has as many webhooks to know as there are owners, from its start to their first changes. */
export async function runDirectory(
  stage: Stage,
  { owners, program }: { readonly owners: number; readonly program: string },
): Promise<Sample> {
  const certificates = uniqueName('certificates');
  const subscribers: Subscribers = { owners, fanOut: 1, hosts: 'one' };
  await createTopics(stage.kafka, [{ topic: certificates, partitions }]);
  const { name, environment } = await createPlace(stage, { topic: certificates, partitions, subscribers });
  const startedAt = machineTimeMs();
  await using service = await startService({ program, environment, logFile: stage.logFile });
  const readyAfterS = (machineTimeMs() - startedAt) / 1000;
  const { residentMiB, peakMemoryMiB } = usageOf(service);
  const longestTurnMs = await longestTurnOf(service);
  const updateMs = await slowestUpdate(stage, { name, certificates });
  return { readyAfterS, residentMiB, peakMemoryMiB, longestTurnMs, updateMs };
}

/** Since it was asked before, or started. */
async function longestTurnOf({ url }: RunningService): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (?<seconds>\S+)$/m.exec(page)?.groups?.['seconds']) * 1000;
}

/**
 * How long it takes at most, in milliseconds, from the acknowledgement of a changed configuration to a request that was
 * made by it: a certificate that was written after the change.
 */
async function slowestUpdate(
  { kafka, receiver }: Stage,
  { name, certificates }: { readonly name: string; readonly certificates: string },
): Promise<number> {
  await using producer = await connectProducer(kafka);
  await receiver.prepare({ answerAfterMs: 0, milestones: Array.from({ length: updates }, (_, index) => index + 1) });
  // An endpoint that nothing went to before: what comes there is by the change.
  const changed = configurationsOf({ owners: updates, fanOut: 1, hosts: 'each' }, (at) => receiver.url(at + 1));
  for (const [owner, configuration] of [...changed].entries()) {
    const made = receiver.reached(owner);
    await producer.send({ topic: `${name}.configurations`, messages: [configuration] });
    const value = certificateOf(owner, owner, machineTimeMs());
    await producer.send({ topic: certificates, messages: [{ key: nameOf(owner), value }] });
    await made;
  }
  return (await receiver.tell()).reduce((most, { writtenAt, answeredAt }) => Math.max(most, answeredAt - writtenAt), 0);
}
