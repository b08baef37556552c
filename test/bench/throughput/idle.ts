import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startServiceFor } from './service-setup.ts';
import { profiling } from './profile/profiling.ts';
import { usageOf } from './process-usage.ts';
import type { Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import type { Subscribers } from './subscribers.ts';

const settleMs = 3000;

/** What it takes when there is nothing to do. */
export async function runIdle(
  stage: Stage,
  {
    partitions,
    subscribers,
    forMs,
  }: { readonly partitions: number; readonly subscribers: Subscribers; readonly forMs: number },
  program: string,
): Promise<Sample> {
  const topic = uniqueName('certificates');
  await createTopics(stage.kafka, [{ topic, partitions }]);
  await using service = await startServiceFor(stage, { topic, partitions, subscribers }, program);
  await setTimeout(settleMs);
  const before = usageOf(service);
  await using _ = await profiling(stage, service);
  await setTimeout(forMs);
  const after = usageOf(service);
  return { busy: ((after.cpuSeconds - before.cpuSeconds) / forMs) * 1000, peakMemoryMiB: after.peakMemoryMiB };
}
