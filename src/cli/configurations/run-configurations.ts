import { systemClock } from '../../lib/clock.ts';
import { createClient, silentLogger } from '../../service/kafka-clients.ts';
import { openFramedValues } from '../../service/schema-registry.ts';
import { configurationRules, processEnvironment, type Settings } from '../../settings.ts';
import { runOnFiles, runOnTopic, touchesKafka, type TopicCommand } from './configurations.ts';
import type { ConfigurationsCommand } from './configurations-command.ts';
import type { ConfigurationsContext, ExitCode } from './context.ts';
import { readConfiguredKeys } from '../configured-keys.ts';
import { registryEvents } from '../registry-events.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withoutKafka, withSettings } from '../with-settings.ts';

/** Runs a verb of `configurations` with the settings of the environment. */
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
