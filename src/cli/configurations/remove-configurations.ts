import { writeKeyed } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';
import type { ExitCode } from '../with-settings.ts';

/**
 * Removes configurations from their topic. Removes none if one of them is missing there. Returns exit code 1 if Kafka
 * fails, or 2 if one is missing.
 */
export async function removeConfigurations(
  ids: readonly string[],
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, err, signal } = context;
  const code = await tryKafka(topic, context, async (): Promise<0 | 2> => {
    const { newest, older } = await readSnapshot(topic.admin, topic.topic, signal);
    const unknown = ids.filter((id) => !newest.has(id));
    for (const id of unknown) err(`error: there is no configuration ${id} in ${topic.topic}`);
    if (unknown.length > 0) return 2;
    // Compaction drops a tombstone some time. An older version in another partition would count again then.
    const tombstones = ids.flatMap((id) =>
      [newest.get(id)?.partition ?? 0, ...(older.get(id) ?? [])].map((partition) => ({ id, value: null, partition })),
    );
    const written = new Set<string>();
    await writeKeyed({ kafka: topic.writing, topic: topic.topic }, tombstones, (removed) => {
      for (const id of removed) if (!written.has(id)) out(`removed ${id}`);
      for (const id of removed) written.add(id);
    });
    return 0;
  });
  return code ?? 1;
}
