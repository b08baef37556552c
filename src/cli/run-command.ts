import packageJson from '../../package.json' with { type: 'json' };
import type { Command, DeadLettersCommand } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { helpText } from './command-usages.ts';
import { withSettings, type ExitCode } from './with-settings.ts';

const { version } = packageJson;

/**
 * Runs a command to its end. Returns exit code 1 if it failed, or 2 for a wrong argument, setting or file. Each command
 * loads its own modules, because all of them take 90 MiB.
 */
export async function runCommand(command: Command, terminal: Terminal): Promise<ExitCode> {
  const { out, err, signal } = terminal;
  switch (command.kind) {
    case 'serve': {
      const { runServe } = await import('./serve.ts');
      return withSettings(err, async (settings, warnings) => runServe({ settings, warnings, version, signal }));
    }
    case 'check-config':
      return (await import('./check-config.ts')).checkEnvironment(command.files, terminal);
    case 'topics': {
      const { runTopicsWithSettings } = await import('./topics.ts');
      return withSettings(err, async (settings) => runTopicsWithSettings(settings, command, terminal));
    }
    case 'configurations':
      return (await import('./configurations/run-configurations.ts')).runConfigurations(command.command, terminal);
    case 'dead-letters':
      return runDeadLetters(command.command, terminal);
    case 'endpoints':
      return (await import('./endpoints.ts')).runEndpoints(command.command, terminal);
    case 'explain':
      return (await import('./explain/explain.ts')).runExplain(command.command, terminal);
    case 'retries':
      return (await import('./retries.ts')).listRetries(command.command, terminal);
    case 'redeliver':
      return (await import('./redeliver.ts')).runRedeliver(command.command, terminal);
    case 'try':
      return (await import('./try/run-try.ts')).runTry(command.command, terminal);
    case 'completion': {
      const { completionScript } = await import('./completion.ts');
      terminal.document(completionScript(command.shell));
      return 0;
    }
    case 'help':
      for (const line of helpText(command.name).split('\n')) out(line);
      return 0;
    case 'version':
      out(version);
      return 0;
    case 'invalid':
      for (const line of [command.problem, '', ...helpText(command.name).split('\n')]) err(line);
      return 2;
  }
}

async function runDeadLetters(command: DeadLettersCommand, terminal: Terminal): Promise<ExitCode> {
  switch (command.verb) {
    case 'list':
      return (await import('./dead-letters/list.ts')).listDeadLetters(command, terminal);
    case 'replay':
      return (await import('./dead-letters/replay.ts')).replayDeadLetters(command, terminal);
  }
}
