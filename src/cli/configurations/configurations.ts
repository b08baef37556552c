import type { CommandOf, ConfigurationsCommand } from './configurations-command.ts';
import { acceptConfigurations } from './accept-configurations.ts';
import { checkConfigurations } from './check-files.ts';
import type { ConfigurationsContext, ConfigurationsTopic, ExitCode } from './context.ts';
import { exportConfigurations } from './export-configurations.ts';
import { listConfigurations } from './list-configurations.ts';
import { pauseConfigurations } from './pause-configurations.ts';
import { putConfigurations } from './put-configurations.ts';
import { removeConfigurations } from './remove-configurations.ts';
import { sealConfigurations } from './seal-configurations.ts';

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
