import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { posted, type Backlog } from './backlog.ts';
import type { Running } from '../running-system.ts';
import { startService } from '../service.ts';
import { createPlace } from './service-setup.ts';
import type { Sample } from './sample.ts';
import { writeCertificates, type Stage } from './environment.ts';

/** How so many instances of the service get through a backlog that comes once all of them are ready. */
export async function runInstances(
  stage: Stage,
  backlog: Backlog,
  { count, program }: { readonly count: number; readonly program: string },
): Promise<Sample> {
  const { crowd, partitions, subscribers } = backlog;
  const topic = uniqueName('certificates');
  await createTopics(stage.kafka, [{ topic, partitions }]);
  const { environment } = await createPlace(stage, { topic, partitions, subscribers });
  return posted(stage, backlog, async () => {
    const { logFile } = stage;
    const starting = Array.from({ length: count }, () => startService({ program, environment, logFile }));
    const instances = together(await Promise.all(starting));
    await writeCertificates(stage.kafka, topic, crowd);
    return instances;
  });
}

function together(instances: readonly Running[]): Running {
  return {
    pids: instances.flatMap(({ pids }) => pids),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
    },
  };
}
