import { connectProducer } from '../../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { prepareService } from '../../service.ts';
import { machineTimeMs } from '../../written-at.ts';
import { certificateOf, nameOf } from '../certificates.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import type { Sample } from '../sample.ts';
import { configurationsOf, type Subscribers } from '../subscribers.ts';

const partitions = 12;
/** Changes that are measured. One more comes first, and opens the first connection of the process. */
const changes = 20;

/** Measures a service with one webhook per owner, from its start to the first changes of configurations. */
export async function runDirectory(environment: BenchEnvironment, owners: number): Promise<Sample> {
  const certificates = uniqueName('certificates');
  const subscribers: Subscribers = { owners, webhooksPerOwner: 1, hosts: 'one' };
  await createTopics(environment.kafka, [{ topic: certificates, partitions }]);
  const prepared = await prepareService(environment, { topic: certificates, partitions, subscribers });
  const startedAt = machineTimeMs();
  await using service = await prepared.launch();
  {
    await using _ = await environment.observing(service, owners);
    await service.ready();
  }
  const readyAfterS = (machineTimeMs() - startedAt) / 1000;
  const { residentMiB, peakMemoryMiB } = usageOf(service);
  const startupLoopDelayMs = await longestLoopDelay(service.url);
  const changeMs = await slowestChange(environment, { ...prepared.names, certificates });
  const loopDelayMs = await longestLoopDelay(service.url);
  return { readyAfterS, residentMiB, peakMemoryMiB, startupLoopDelayMs, loopDelayMs, changeMs };
}

/** Reads the longest delay of the event loop since the last call, in milliseconds. */
async function longestLoopDelay(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (?<seconds>\S+)$/m.exec(page)?.groups?.['seconds']) * 1000;
}

/**
 * Returns milliseconds from the acknowledgement of a changed configuration to the first request that follows it, at most.
 * That request is for a certificate that is written right after the change.
 */
async function slowestChange(
  { kafka, receiver }: BenchEnvironment,
  { configurations, certificates }: { readonly configurations: string; readonly certificates: string },
): Promise<number> {
  await using producer = await connectProducer(kafka);
  await receiver.prepare({
    answerAfterMs: 0,
    milestones: Array.from({ length: 1 + changes }, (_, index) => index + 1),
  });
  // No endpoint got a request before, so each request shows that its change is in force.
  for (let owner = 0; owner <= changes; owner += 1) {
    const changed = configurationsOf(owner, { webhooksPerOwner: 1, hosts: 'each' }, (endpoint) =>
      receiver.url(endpoint + 1),
    );
    const inForce = receiver.reached(owner);
    await producer.send({ topic: configurations, messages: changed });
    const value = certificateOf(owner, owner, machineTimeMs());
    await producer.send({ topic: certificates, messages: [{ key: nameOf(owner), value }] });
    await inForce;
  }
  return (await receiver.arrivals())
    .slice(1)
    .reduce((slowest, { writtenAt, answeredAt }) => Math.max(slowest, answeredAt - writtenAt), 0);
}
