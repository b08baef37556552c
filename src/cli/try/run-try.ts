import { processEnvironment, type Environment } from '../../settings.ts';
import { readConfiguredKeys } from '../configured-keys.ts';
import { ReaderGoneError, type Terminal } from '../terminal/terminal.ts';
import { withoutKafka, withSettings, type ExitCode } from '../with-settings.ts';
import { findWebhook, type TryTarget } from './target/find-webhook.ts';
import { tryWebhook } from './try-webhook.ts';
import type { TryCommand } from './try-command.ts';

/** Runs `try` with the settings of the environment. Returns exit code 0 if the endpoint accepts the certificate. */
export async function runTry(command: TryCommand, terminal: Terminal): Promise<ExitCode> {
  const { err, signal } = terminal;
  return withSettings(
    err,
    async (settings): Promise<ExitCode> => {
      const keys = await readConfiguredKeys(settings, terminal);
      if (keys === 'unusable') return 2;
      try {
        const found = await findWebhook(command.target, { settings, keys, terminal });
        if (found.kind === 'found') return await tryWebhook(found, { command, settings, terminal });
        for (const problem of found.problems) err(`error: ${problem}`);
        return found.code;
      } catch (error) {
        if (!signal.aborted) throw error;
        if (!(signal.reason instanceof ReaderGoneError)) err('stopped before the end');
        return 1;
      }
    },
    environmentFor(command.target, processEnvironment()),
  );
}

/** Requires the settings of Kafka only if the configuration is in a topic. */
function environmentFor(target: TryTarget, environment: Environment): Environment {
  const isInFile = target.kind === 'file' || environment['WEBHOOK_CONFIGURATIONS']?.trim().startsWith('file:') === true;
  return isInFile ? withoutKafka(environment) : environment;
}
