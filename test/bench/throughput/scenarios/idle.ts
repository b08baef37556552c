import { setTimeout } from 'node:timers/promises';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { startService } from '../../service.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import type { Sample } from '../sample.ts';
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
): Promise<Sample> {
  const topic = uniqueName('certificates');
  await createTopics(environment.kafka, [{ topic, partitions }]);
  await using service = await startService(environment, { topic, partitions, subscribers });
  await setTimeout(settleMs);
  const before = usageOf(service);
  await using _ = await environment.observing(service, forMs / 1000);
  await setTimeout(forMs);
  const after = usageOf(service);
  return { cores: ((after.cpuSeconds - before.cpuSeconds) / forMs) * 1000, peakMemoryMiB: after.peakMemoryMiB };
}
