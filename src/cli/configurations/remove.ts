import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import type { CommandOf } from '../command.ts';
import { refuse } from '../with-settings.ts';
import { writeRecords, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';

/** Removes configurations from their topic. Removes none and returns exit code 2 if one of them is missing there. */
export async function removeConfigurations(
  { ids }: CommandOf<'remove'>,
  topic: ConfigurationsTopic,
  { out, err, signal }: ConfigurationsContext,
): Promise<0 | 2> {
  const { newest, older } = await readSnapshot(topic.admin, topic.topic, signal);
  const unknown = ids.filter((id) => !newest.has(id));
  const code = refuse(
    err,
    unknown.map((id) => `there is no configuration ${id} in ${topic.topic}`),
  );
  if (code !== undefined) return code;
  // Compaction drops a tombstone some time. An older version in another partition would count again then.
  const tombstones = ids.flatMap((id) =>
    [newest.get(id)?.partition ?? 0, ...(older.get(id) ?? [])].map((partition) => ({ id, value: null, partition })),
  );
  await writeRecords(topic, tombstones, (id) => out(`removed ${id}`));
  return 0;
}
