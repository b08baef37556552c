import { configurationRules, type Settings } from '../../settings.ts';
import type { CommandOf, ConfigurationsCommand } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { configurationsFailure, openClient, openFramed } from '../with-kafka.ts';
import { withKeys, type ExitCode } from '../with-settings.ts';
import { acceptConfigurations } from './accept.ts';
import { checkConfigurations } from './check.ts';
import type { ConfigurationsContext, ConfigurationsTopic } from './context.ts';
import { exportConfigurations } from './export.ts';
import { listConfigurations } from './list.ts';
import { pauseConfigurations } from './pause.ts';
import { putConfigurations } from './put.ts';
import { removeConfigurations } from './remove.ts';
import { sealConfigurations } from './seal.ts';

/** The verbs that work on files and never connect to Kafka. */
export type FilesCommand = CommandOf<'check' | 'seal'>;
export type TopicCommand = Exclude<ConfigurationsCommand, FilesCommand>;

export async function runConfigurations(
  command: ConfigurationsCommand,
  terminal: Omit<Terminal, 'bar'>,
): Promise<ExitCode> {
  const isOnFiles = command.verb === 'check' || command.verb === 'seal';
  const run: Parameters<typeof withKeys>[1] = async (settings, keys) => {
    const { requireSealed } = settings.webhooks;
    const context = { ...terminal, keys, requireSealed, rules: configurationRules(settings) };
    return isOnFiles ? runOnFiles(command, context) : withTopic(command, settings, context);
  };
  return withKeys(terminal, run, { needsKafka: !isOnFiles });
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
  return await runOnTopic(command, { topic: source.topic, admin, writing, framed }, context);
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
    return await runVerb(command, topic, context);
  } catch (error) {
    context.err(`error: ${configurationsFailure(error, topic.topic)}`);
    return 1;
  }
}

function runVerb(command: TopicCommand, topic: ConfigurationsTopic, context: ConfigurationsContext): Promise<ExitCode> {
  switch (command.verb) {
    case 'list':
      return listConfigurations(command, topic, context);
    case 'put':
      return putConfigurations(command, topic, context);
    case 'accept':
      return acceptConfigurations(topic, context);
    case 'pause':
    case 'resume':
      return pauseConfigurations(command, topic, context);
    case 'export':
      return exportConfigurations(topic, context);
    case 'remove':
      return removeConfigurations(command, topic, context);
  }
}
