import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { machineTimeMs } from '../../written-at.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import { costBetween, type Sample } from '../sample.ts';
import { startServiceFor } from '../service-setup.ts';
import { countIn, writeStream } from './stream.ts';
import type { Subscribers } from '../subscribers.ts';

interface Outage {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly perSecond: number;
  /** The duration of the outage, and the time for which certificates still come after it. */
  readonly outageMs: number;
  readonly afterMs: number;
}

/** Measures a service whose endpoints reject every request during an outage, under a steady load. */
export async function runOutage(environment: BenchEnvironment, outage: Outage, program: string): Promise<Sample> {
  const { kafka, receiver } = environment;
  const { partitions, subscribers, perSecond, outageMs, afterMs } = outage;
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  const count = countIn(outageMs + afterMs, perSecond);
  await receiver.prepare({ answerAfterMs: 0, milestones: [count] });
  await receiver.respondWith('503');
  const delivered = receiver.reached(0);
  await using service = await startServiceFor(environment, { topic, partitions, subscribers }, program);
  const from = { counts: { requests: 0, at: machineTimeMs() }, usage: usageOf(service) };
  const writing = writeStream(environment, { topic, owners: subscribers.owners, perSecond, count });
  await setTimeout(outageMs);
  await receiver.respondWith('200');
  const endedAt = machineTimeMs();
  await writing;
  const counts = await delivered;
  const cost = costBetween(from, { counts, usage: usageOf(service) });
  const delayed = (await receiver.arrivals()).filter(({ writtenAt }) => writtenAt < endedAt);
  const lastAt = delayed.reduce((last, { answeredAt }) => Math.max(last, answeredAt), endedAt);
  return {
    cpu: cost.cpu,
    peakMemoryMiB: cost.peakMemoryMiB,
    requests: (counts.requests + counts.rejected) / counts.requests,
    recoveredAfterS: (lastAt - endedAt) / 1000,
  };
}
