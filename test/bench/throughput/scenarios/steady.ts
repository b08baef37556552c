import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { startService } from '../../service.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import { costBetween, type Checkpoint, type Sample } from '../sample.ts';
import type { Subscribers } from '../subscribers.ts';
import { connectProducer } from '../../../support/kafka/client.ts';
import { machineTimeMs } from '../../written-at.ts';
import { certificateOf, nameOf } from '../certificates.ts';

export interface Steady {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/**
 * Measures the service under a steady load from the end of its warm-up. Latency counts from when a record is due, even if its
 * write is late.
 */
export async function runSteady(environment: BenchEnvironment, steady: Steady): Promise<Sample> {
  const { kafka, receiver } = environment;
  const { partitions, subscribers, perSecond, warmUpMs, measuredMs } = steady;
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  const warmUp = countIn(warmUpMs, perSecond);
  const all = countIn(warmUpMs + measuredMs, perSecond);
  await receiver.prepare({ answerAfterMs: 0, milestones: [warmUp, all] });
  const milestones = [receiver.reached(0), receiver.reached(1)] as const;
  await using system = await startService(environment, { topic, partitions, subscribers });
  const checkpoint = async (milestone: 0 | 1): Promise<Checkpoint> => {
    const counts = await milestones[milestone];
    return { counts, usage: usageOf(system) };
  };
  const measured = async () => {
    const from = await checkpoint(0);
    await using _ = await environment.observing(system, all - warmUp);
    return { from, to: await checkpoint(1) };
  };
  const [{ from, to }] = await Promise.all([
    measured(),
    writeStream(environment, { topic, owners: subscribers.owners, perSecond, count: all }),
  ]);
  const arrivals = (await receiver.arrivals()).slice(warmUp);
  const latencies = arrivals.map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
  const cost = costBetween(from, to);
  const cores = (cost.cpu * cost.perSecond) / 10_000;
  return { ...cost, cores, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

/** Returns the number at this position of the sorted numbers, from 0 to 1. */
function quantile(numbers: readonly number[], position: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * position)] ?? Number.NaN;
}

/** Returns the number of certificates that are due within that time. */
function countIn(ms: number, perSecond: number): number {
  return Math.floor((ms * perSecond) / 1000);
}

interface Stream {
  readonly topic: string;
  readonly owners: number;
  readonly perSecond: number;
  readonly count: number;
}

/** Writes each certificate at its due time, to all owners in turn. No write waits for an earlier one. */
async function writeStream({ kafka }: BenchEnvironment, { topic, owners, perSecond, count }: Stream): Promise<void> {
  await using producer = await connectProducer(kafka);
  const start = machineTimeMs();
  const dueAt = (number: number): number => start + (number * 1000) / perSecond;
  const writes: Promise<unknown>[] = [];
  let next = 0;
  while (next < count) {
    const due = Math.min(count, countIn(machineTimeMs() - start, perSecond) + 1);
    const messages = Array.from({ length: due - next }, (_, index) => {
      const owner = ((next + index) * 7919) % owners;
      return { key: nameOf(owner), value: certificateOf(next + index, owner, dueAt(next + index)) };
    });
    if (messages.length > 0) writes.push(producer.send({ topic, messages }));
    next = due;
    await setTimeout(1);
  }
  await Promise.all(writes);
}
