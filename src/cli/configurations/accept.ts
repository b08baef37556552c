import { acceptanceKey } from '../../kafka/reader/acceptance.ts';
import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { writeRecords, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';

/**
 * Confirms that the topic holds all configurations, after it was deleted and created again. Returns exit code 2 if its
 * record would remove a configuration.
 */
export async function acceptConfigurations(
  topic: ConfigurationsTopic,
  { out, err, signal }: ConfigurationsContext,
): Promise<0 | 2> {
  const { newest, partitions } = await readSnapshot(topic.admin, topic.topic, signal);
  if (newest.has(acceptanceKey)) {
    err(`error: ${acceptanceKey} is reserved, and a configuration is called so: remove it first`);
    return 2;
  }
  // A partition is read in order, so everything before its record has been read by then.
  const records = Array.from({ length: partitions }, (_, partition) => ({ id: acceptanceKey, value: null, partition }));
  await writeRecords(topic, records, () => undefined);
  out(`accepted ${topic.topic} as it stands, configurations: ${newest.size}`);
  return 0;
}
