import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { onOneLine } from '../../lib/exact-json.ts';
import { refuse, type ExitCode } from '../with-settings.ts';
import type { ConfigurationsContext, ConfigurationsTopic } from './context.ts';
import { readStored, valuesById, withRegistryTimeout } from './stored.ts';

/**
 * Prints the configurations in the topic as JSON lines, credentials included. Returns exit code 1 if the signal aborts, or 2
 * if one could not be printed. The others are printed before.
 */
export async function exportConfigurations(
  topic: ConfigurationsTopic,
  { out, drained, err, signal }: ConfigurationsContext,
): Promise<ExitCode> {
  const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
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
  const code = refuse(err, problems);
  err(`configurations: ${snapshot.newest.size}, left out: ${problems.length}`);
  return code ?? 0;
}
