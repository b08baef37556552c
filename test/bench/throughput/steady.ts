import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { quantile } from '../quantile.ts';
import { startServiceFor } from './service-setup.ts';
import { profiling } from './profile/profiling.ts';
import { usageOf } from './process-usage.ts';
import { costBetween, type Moment, type Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import { countIn, writeStream } from './stream.ts';
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
    return { counts, usage: usageOf(service) };
  };
  const measured = async () => {
    const from = await moment(0);
    await using _ = await profiling(stage, service);
    return { from, to: await moment(1) };
  };
  const [{ from, to }] = await Promise.all([
    measured(),
    writeStream(stage, { topic, owners: subscribers.owners, perSecond, count: all }),
  ]);
  const latencies = (await receiver.tell()).slice(warmUp).map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
  return { ...costBetween(from, to), p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
