import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { onOneLine } from '../../lib/exact-json.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';
import type { ExitCode } from '../with-settings.ts';
import { readStored, valuesById, withRegistryTimeout } from './stored-configurations.ts';

/**
 * Prints the configurations in the topic as JSON lines, credentials included. Returns exit code 1 if Kafka fails or the
 * signal aborts, or 2 if one could not be printed. The others are printed before.
 */
export async function exportConfigurations(
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, drained, err, signal } = context;
  const snapshot = await tryKafka(topic, context, () => readSnapshot(topic.admin, topic.topic, signal));
  if (snapshot === undefined) return 1;
  const timeout = withRegistryTimeout(signal);
  const problems: string[] = [];
  for (const [id, value] of valuesById(snapshot)) {
    const stored = await readStored(value, topic.framed, timeout);
    if (signal.aborted) return 1;
    if (stored.kind === 'unreadable') problems.push(`${id} can't be read: ${stored.problem}`);
    // `put` would write it under its `_id`, where another configuration may stand.
    else if (stored.fields._id !== id) problems.push(`${id} can't be put elsewhere: its _id is not its key`);
    else out(onOneLine(stored.text));
    await drained();
  }
  for (const problem of problems) err(`error: ${problem}`);
  err(`configurations: ${snapshot.newest.size}, left out: ${problems.length}`);
  return problems.length === 0 ? 0 : 2;
}
