import { pino } from 'pino';
import { systemClock } from '../lib/clock.ts';
import { isInRanges } from '../lib/port-range.ts';
import { createClient } from '../service/kafka-clients.ts';
import { wantedTopics } from '../service/configured-topics.ts';
import { processEnvironment, type Settings } from '../settings.ts';
import { checkDocuments } from '../webhooks/check-configuration.ts';
import { readKeysFile } from '../webhooks/files/keys-file.ts';
import { createOpener, ignoreSealed, type OpenDocument } from '../webhooks/sealing/open-document.ts';
import { runCheckConfig, type CheckedFile } from './check-config.ts';
import type { Command } from './command.ts';
import { runConfigurations } from './configurations/run-configurations.ts';
import { runDeadLetters } from './dead-letters/run-dead-letters.ts';
import { runRedeliver } from './redeliver/run-redeliver.ts';
import { runServe } from './serve.ts';
import type { Terminal } from './terminal/terminal.ts';
import { runTopics } from './topics-command.ts';
import { helpText } from './usage/usage-text.ts';
import { version } from './version.ts';
import { withSettings } from './with-settings.ts';

export type ExitCode = 0 | 1 | 2;

/** Runs a command to its end. Returns exit code 1 if it failed, or 2 for a wrong argument, setting or file. */
export async function runCommand(command: Command, terminal: Terminal): Promise<ExitCode> {
  const { out, err, signal } = terminal;
  switch (command.kind) {
    case 'serve':
      return withSettings(err, async (settings, warnings) => runServe({ settings, warnings, version, signal }));
    case 'check-config': {
      const checkFiles = async (
        paths: readonly string[],
        settings: Settings | undefined,
      ): Promise<readonly CheckedFile[]> => {
        const open = await openerOf(settings, signal);
        return (await checkDocuments(paths, { isAllowedPort: portPolicy(settings), open, signal })).files;
      };
      return runCheckConfig({ environment: processEnvironment(), files: command.files, checkFiles, out, err });
    }
    case 'topics':
      return withSettings(err, async (settings) => {
        using kafka = createClient('admin', settings, pino({ level: 'silent' }));
        const wanted = wantedTopics(settings);
        return await runTopics({ kafka, wanted, create: command.create, clock: systemClock, signal, out, err });
      });
    case 'configurations':
      return runConfigurations(command.command, terminal);
    case 'dead-letters':
      return runDeadLetters(command.command, terminal);
    case 'redeliver':
      return runRedeliver(command.command, terminal);
    case 'help':
      out(helpText(command.name));
      return 0;
    case 'version':
      out(version);
      return 0;
    case 'invalid':
      err(`${command.problem}\n\n${helpText(command.name)}`);
      return 2;
  }
}

/** Allows every port if the settings are invalid, because the allowed ports are unknown then. */
function portPolicy(settings: Settings | undefined): (port: number) => boolean {
  return (port) => settings === undefined || isInRanges(settings.egress.allowedPorts, port);
}

/** Ignores sealed parts if the settings are invalid, because the keys file is unknown then. */
async function openerOf(settings: Settings | undefined, signal: AbortSignal): Promise<OpenDocument> {
  if (settings === undefined) return ignoreSealed;
  const { keysFile, requireSealed } = settings.webhooks;
  return createOpener(keysFile === undefined ? undefined : await readKeysFile(keysFile, signal), requireSealed);
}
