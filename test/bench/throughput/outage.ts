import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { machineTimeMs } from '../written-at.ts';
import { startServiceFor } from './service-setup.ts';
import { usageOf } from './process-usage.ts';
import { costBetween, type Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import { countIn, writeStream } from './stream.ts';
import type { Subscribers } from './subscribers.ts';

export interface Storm {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly perSecond: number;
  /** For so long every request is refused. */
  readonly stormMs: number;
  /** The stream goes on for so long after it. */
  readonly calmMs: number;
}

/** Every endpoint fails for a while, and then none does any more; certificates come all the time. */
export async function runStorm(stage: Stage, storm: Storm, program: string): Promise<Sample> {
  const { kafka, receiver } = stage;
  const { partitions, subscribers, perSecond, stormMs, calmMs } = storm;
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  const count = countIn(stormMs + calmMs, perSecond);
  await receiver.prepare({ answerAfterMs: 0, milestones: [count] });
  await receiver.turn('refuse');
  const delivered = receiver.reached(0);
  await using service = await startServiceFor(stage, { topic, partitions, subscribers }, program);
  const from = { counts: { requests: 0, at: machineTimeMs() }, usage: usageOf(service) };
  const writing = writeStream(stage, { topic, owners: subscribers.owners, perSecond, count });
  await setTimeout(stormMs);
  await receiver.turn('accept');
  const healedAt = machineTimeMs();
  await writing;
  const counts = await delivered;
  const cost = costBetween(from, { counts, usage: usageOf(service) });
  const ofStorm = (await receiver.tell()).filter(({ writtenAt }) => writtenAt < healedAt);
  const lastAt = ofStorm.reduce((last, { answeredAt }) => Math.max(last, answeredAt), healedAt);
  return {
    cpu: cost.cpu,
    peakMemoryMiB: cost.peakMemoryMiB,
    requests: (counts.requests + counts.refused) / counts.requests,
    recoveredAfterS: (lastAt - healedAt) / 1000,
  };
}
