import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import type { RunningSystem } from '../../running-system.ts';
import { startService } from '../../service.ts';
import { runSender, type Backlog } from './backlog.ts';
import { writeCertificates, type BenchEnvironment } from '../environment.ts';
import type { Sample } from '../sample.ts';
import { prepareService } from '../service-setup.ts';

/** Measures several instances of the service together. The backlog is written once all of them are ready. */
export async function runInstances(
  environment: BenchEnvironment,
  backlog: Backlog,
  { count, program }: { readonly count: number; readonly program: string },
): Promise<Sample> {
  const { certificates, partitions, subscribers } = backlog;
  const topic = uniqueName('certificates');
  await createTopics(environment.kafka, [{ topic, partitions }]);
  const { variables } = await prepareService(environment, { topic, partitions, subscribers });
  return runSender(environment, backlog, async () => {
    const { logFile } = environment;
    const starting = Array.from({ length: count }, () => startService({ program, variables, logFile }));
    const instances = asOneSystem(await Promise.all(starting));
    await writeCertificates(environment.kafka, topic, certificates);
    return instances;
  });
}

function asOneSystem(instances: readonly RunningSystem[]): RunningSystem {
  return {
    pids: instances.flatMap(({ pids }) => pids),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
    },
  };
}
