import { configurationRules, type Settings } from '../../settings.ts';
import type { CommandOf, ConfigurationsCommand } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { configurationsFailure, openClient, openFramed } from '../with-kafka.ts';
import { withKeys, refuse, type ExitCode } from '../with-settings.ts';
import { acceptanceKey } from '../../kafka/reader/newest-versions.ts';
import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { onOneLine } from '../../lib/strict-json.ts';
import { checkConfigurations, sealConfigurations } from './files.ts';
import {
  writeRecords,
  type ConfigurationsContext,
  type ConfigurationsTopic,
  readStored,
  valuesById,
  withRegistryTimeout,
} from './stored.ts';
import { listHistory } from './history.ts';
import { listConfigurations } from './list.ts';
import { pauseConfigurations } from './pause.ts';
import { putConfigurations } from './put.ts';

/** The verbs that work on files and never connect to Kafka. */
export type FilesCommand = CommandOf<'check' | 'seal'>;
export type TopicCommand = Exclude<ConfigurationsCommand, FilesCommand>;

export async function runConfigurations(command: ConfigurationsCommand, terminal: Terminal): Promise<ExitCode> {
  const isOnFiles = command.verb === 'check' || command.verb === 'seal';
  const run: Parameters<typeof withKeys>[1] = async (settings, keys) => {
    const { requireSealed } = settings.webhooks;
    const context = { ...terminal, keys, requireSealed, rules: configurationRules(settings) };
    return isOnFiles ? runOnFiles(command, context) : withTopic(command, settings, context);
  };
  const code = await withKeys(terminal, run, { needsKafka: !isOnFiles });
  if (code !== 0 || command.verb !== 'remove' || !command.purge) return code;
  // Afterwards, because a delivery that waits has no dead letter any more once its configuration is gone.
  const { purgeDeadLetters } = await import('../dead-letters/purge.ts');
  return purgeDeadLetters(command, terminal);
}

async function withTopic(command: TopicCommand, settings: Settings, context: ConfigurationsContext): Promise<ExitCode> {
  const { source } = settings.webhooks;
  const { err } = context;
  if (source.kind === 'file') {
    err(
      `error: WEBHOOK_CONFIGURATIONS is file:${source.path}: expected kafka:TOPIC, since ${command.verb} works on a topic`,
    );
    return 2;
  }
  using admin = openClient(settings, 'admin');
  using writing = openClient(settings, 'writing');
  using framed = await openFramed(settings, err);
  const changedBy = writerOf(command, settings);
  return await runOnTopic(command, { topic: source.topic, admin, writing, framed, changedBy }, context);
}

/**
 * Returns the name of `--as`, or else that of the login at the brokers, if there is one. The name at the operating system is not
 * used: it is the same for everybody in a pod.
 */
export function writerOf(command: TopicCommand, { kafka: { sasl } }: Settings): string | undefined {
  const given = 'as' in command ? command.as : undefined;
  return given ?? (sasl?.mechanism === 'oauthbearer' ? sasl.clientId : sasl?.username);
}

export async function runOnFiles(command: FilesCommand, context: ConfigurationsContext): Promise<ExitCode> {
  return command.verb === 'check' ? checkConfigurations(command.files, context) : sealConfigurations(command, context);
}

/** Runs a verb. Returns exit code 1 if Kafka fails. */
export async function runOnTopic(
  command: TopicCommand,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  try {
    switch (command.verb) {
      case 'list':
        return await (command.history ? listHistory : listConfigurations)(command, topic, context);
      case 'put':
        return await putConfigurations(command, topic, context);
      case 'accept':
        return await acceptConfigurations(topic, context);
      case 'pause':
      case 'resume':
        return await pauseConfigurations(command, topic, context);
      case 'export':
        return await exportConfigurations(topic, context);
      case 'remove':
        return await removeConfigurations(command, topic, context);
    }
  } catch (error) {
    context.err(`error: ${configurationsFailure(error, topic.topic)}`);
    return 1;
  }
}

/**
 * Confirms that the topic holds all configurations, after it was deleted and created again. Returns exit code 2 if its
 * record would remove a configuration.
 */
async function acceptConfigurations(
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

/** Removes configurations from their topic. Removes none and returns exit code 2 if one of them is missing there. */
async function removeConfigurations(
  { ids, purge, dryRun }: CommandOf<'remove'>,
  topic: ConfigurationsTopic,
  { out, err, signal }: ConfigurationsContext,
): Promise<0 | 2> {
  const { newest, older } = await readSnapshot(topic.admin, topic.topic, signal);
  const [known, unknown] = [ids.filter((id) => newest.has(id)), ids.filter((id) => !newest.has(id))];
  const problems = unknown.map((id) => `there is no configuration ${id} in ${topic.topic}`);
  // A purge can be run again after it has failed.
  if (purge) for (const problem of problems) err(`note: ${problem}`);
  else if (problems.length > 0) return refuse(err, problems) ?? 2;
  if (dryRun) for (const id of known) out(`to be removed ${id}`);
  if (dryRun) return 0;
  // Compaction drops a tombstone some time. An older version in another partition would count again then.
  const tombstones = known.flatMap((id) =>
    [newest.get(id)?.partition ?? 0, ...(older.get(id) ?? [])].map((partition) => ({ id, value: null, partition })),
  );
  await writeRecords(topic, tombstones, (id) => out(`removed ${id}`));
  return 0;
}

/**
 * Prints the configurations in the topic as JSON lines, credentials included. Returns exit code 1 if the signal aborts, or 2
 * if one could not be printed. The others are printed before.
 */
async function exportConfigurations(
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
