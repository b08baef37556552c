import { setTimeout } from 'node:timers/promises';
import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { quantile } from '../quantile.ts';
import { machineTimeMs } from '../written-at.ts';
import { certificateOf, nameOf } from './certificates.ts';
import { startServiceFor } from './backlog.ts';
import { usageOf } from './process-usage.ts';
import { costBetween, type Moment, type Sample } from './sample.ts';
import type { Stage } from './stage.ts';
import type { Subscribers } from './subscribers.ts';

export interface Steady {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** A steady stream of certificates, each to be written at a certain moment: a writer that is late makes it no shorter. */
export async function runSteady(stage: Stage, steady: Steady, program: string): Promise<Sample> {
  const { kafka, receiver } = stage;
  const { partitions, subscribers, perSecond, warmUpMs, measuredMs } = steady;
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  const warmUp = countIn(warmUpMs, perSecond);
  const all = countIn(warmUpMs + measuredMs, perSecond);
  await receiver.prepare({ answerAfterMs: 0, milestones: [warmUp, all] });
  const milestones = [receiver.reached(0), receiver.reached(1)] as const;
  await using service = await startServiceFor(stage, { topic, partitions, subscribers }, program);
  const moment = async (milestone: 0 | 1): Promise<Moment> => {
    const counts = await milestones[milestone];
    return { counts, usage: usageOf(service.pid) };
  };
  const [from, to] = await Promise.all([
    moment(0),
    moment(1),
    write(stage, { topic, owners: subscribers.owners, perSecond, count: all }),
  ]);
  const latencies = (await receiver.tell()).slice(warmUp).map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
  return { ...costBetween(from, to), p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

function countIn(ms: number, perSecond: number): number {
  return Math.floor((ms * perSecond) / 1000);
}

interface Stream {
  readonly topic: string;
  readonly owners: number;
  readonly perSecond: number;
  readonly count: number;
}

/** Owners take turns. Writes do not wait for each other. */
async function write({ kafka }: Stage, { topic, owners, perSecond, count }: Stream): Promise<void> {
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
