import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { machineTimeMs } from '../written-at.ts';
import { certificateOf, nameOf } from './certificates.ts';
import { launchService, type RunningService } from '../service.ts';
import { createPlace } from './service-setup.ts';
import { profiling } from './profile/profiling.ts';
import { usageOf } from './process-usage.ts';
import type { Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import { configurationsOf, type Subscribers } from './subscribers.ts';

const partitions = 12;
/** One more comes first: it opens the first connection of the process. */
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
  const isInspected = stage.profiled !== undefined;
  await using service = await launchService({ program, environment, logFile: stage.logFile, isInspected });
  {
    await using _ = await profiling(stage, service);
    await service.ready();
  }
  const readyAfterS = (machineTimeMs() - startedAt) / 1000;
  const { residentMiB, peakMemoryMiB } = usageOf(service);
  const longestTurnMs = await longestTurnOf(service);
  const updateMs = await slowestUpdate(stage, { name, certificates });
  const longestTurnOnceReadyMs = await longestTurnOf(service);
  return { readyAfterS, residentMiB, peakMemoryMiB, longestTurnMs, longestTurnOnceReadyMs, updateMs };
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
  await receiver.prepare({
    answerAfterMs: 0,
    milestones: Array.from({ length: 1 + updates }, (_, index) => index + 1),
  });
  // An endpoint that nothing went to before: what comes there is by the change.
  const changed = configurationsOf({ owners: 1 + updates, fanOut: 1, hosts: 'each' }, (at) => receiver.url(at + 1));
  for (const [owner, configuration] of [...changed].entries()) {
    const made = receiver.reached(owner);
    await producer.send({ topic: `${name}.configurations`, messages: [configuration] });
    const value = certificateOf(owner, owner, machineTimeMs());
    await producer.send({ topic: certificates, messages: [{ key: nameOf(owner), value }] });
    await made;
  }
  return (await receiver.tell())
    .slice(1)
    .reduce((most, { writtenAt, answeredAt }) => Math.max(most, answeredAt - writtenAt), 0);
}
