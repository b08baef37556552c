import { systemClock } from '../../lib/clock.ts';
import { createClient, silentLogger } from '../../service/kafka-clients.ts';
import { openFramedValues } from '../../service/schema-registry.ts';
import { configurationRules, processEnvironment, type Settings } from '../../settings.ts';
import type { CommandOf, ConfigurationsCommand } from './configurations-command.ts';
import { acceptConfigurations } from './accept-configurations.ts';
import { checkConfigurations } from './check-files.ts';
import type { ConfigurationsContext, ConfigurationsTopic } from './context.ts';
import { exportConfigurations } from './export-configurations.ts';
import { listConfigurations } from './list-configurations.ts';
import { pauseConfigurations } from './pause-configurations.ts';
import { putConfigurations } from './put-configurations.ts';
import { removeConfigurations } from './remove-configurations.ts';
import { sealConfigurations } from './seal-configurations.ts';
import { readConfiguredKeys } from '../configured-keys.ts';
import { registryEvents } from '../registry-events.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withoutKafka, withSettings, type ExitCode } from '../with-settings.ts';

export async function runConfigurations(
  command: ConfigurationsCommand,
  terminal: Omit<Terminal, 'bar'>,
): Promise<ExitCode> {
  const environment = touchesKafka(command) ? processEnvironment() : withoutKafka(processEnvironment());
  return withSettings(
    terminal.err,
    async (settings): Promise<ExitCode> => {
      const keys = await readConfiguredKeys(settings, terminal);
      if (keys === 'unusable') return 2;
      const { requireSealed } = settings.webhooks;
      const context = { ...terminal, keys, requireSealed, rules: configurationRules(settings) };
      return touchesKafka(command) ? withTopic(command, settings, context) : runOnFiles(command, context);
    },
    environment,
  );
}

async function withTopic(command: TopicCommand, settings: Settings, context: ConfigurationsContext): Promise<ExitCode> {
  const { source } = settings.webhooks;
  if (source.kind === 'file') {
    context.err(
      `error: WEBHOOK_CONFIGURATIONS is file:${source.path}: expected kafka:TOPIC, since ${command.verb} works on a topic`,
    );
    return 2;
  }
  using admin = createClient('admin', settings, silentLogger);
  using writing = createClient('writing', settings, silentLogger);
  using framed = await openFramedValues({ settings, events: registryEvents(context.err), clock: systemClock });
  return await runOnTopic(command, { topic: source.topic, admin, writing, framed }, context);
}

/** The verbs that work on files and never connect to Kafka. */
export type FilesCommand = CommandOf<'check' | 'seal'>;
export type TopicCommand = Exclude<ConfigurationsCommand, FilesCommand>;

export function touchesKafka(command: ConfigurationsCommand): command is TopicCommand {
  return command.verb !== 'check' && command.verb !== 'seal';
}

export async function runOnFiles(command: FilesCommand, context: ConfigurationsContext): Promise<ExitCode> {
  return command.verb === 'check' ? checkConfigurations(command.files, context) : sealConfigurations(command, context);
}

export async function runOnTopic(
  command: TopicCommand,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
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
      return removeConfigurations(command.ids, topic, context);
  }
}
