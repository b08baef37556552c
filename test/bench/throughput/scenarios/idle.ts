import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import type { BenchEnvironment } from '../environment.ts';
import { observing } from '../observer.ts';
import { usageOf } from '../process-usage.ts';
import type { Sample } from '../sample.ts';
import { startServiceFor } from '../service-setup.ts';
import type { Subscribers } from '../subscribers.ts';

const settleMs = 3000;

interface Idle {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly forMs: number;
}

/** Measures a service whose topics stay empty. */
export async function runIdle(
  environment: BenchEnvironment,
  { partitions, subscribers, forMs }: Idle,
  program: string,
): Promise<Sample> {
  const topic = uniqueName('certificates');
  await createTopics(environment.kafka, [{ topic, partitions }]);
  await using service = await startServiceFor(environment, { topic, partitions, subscribers }, program);
  await setTimeout(settleMs);
  const before = usageOf(service);
  await using _ = await observing(environment, service, forMs / 1000);
  await setTimeout(forMs);
  const after = usageOf(service);
  return { cores: ((after.cpuSeconds - before.cpuSeconds) / forMs) * 1000, peakMemoryMiB: after.peakMemoryMiB };
}
