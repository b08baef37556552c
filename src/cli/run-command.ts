import { pino } from 'pino';
import { systemClock } from '../lib/clock.ts';
import { isInRanges } from '../lib/port-range.ts';
import { createClient } from '../service/kafka-clients.ts';
import { wantedTopics } from '../service/topics.ts';
import {
  describeProblem,
  loadSettings,
  processEnvironment,
  unavailableProblems,
  type Problem,
  type Settings,
} from '../settings.ts';
import { checkDocuments } from '../webhooks/check.ts';
import { runCheckConfig, type CheckedFile } from './check-config.ts';
import { usage, type Command } from './command.ts';
import { runServe } from './serve.ts';
import { runTopics } from './topics.ts';
import { version } from './version.ts';

export interface Terminal {
  /** Each takes one line, without its end. */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

export type ExitCode = 0 | 1 | 2;

/** Runs it to its end. Resolves to the exit code: 1 when it fails, 2 when it is told something wrong. */
export async function runCommand(command: Command, terminal: Terminal): Promise<ExitCode> {
  const { out, err, signal } = terminal;
  switch (command.kind) {
    case 'serve':
      return withSettings(terminal, async (settings, warnings) => {
        const problems = unavailableProblems(settings);
        return problems.length > 0 ? refuse(problems, err) : runServe({ settings, warnings, version, signal });
      });
    case 'check-config': {
      const checkFiles = async (
        paths: readonly string[],
        settings: Settings | undefined,
      ): Promise<readonly CheckedFile[]> => checkDocuments(paths, { isAllowedPort: portPolicy(settings), signal });
      return runCheckConfig({ environment: processEnvironment(), files: command.files, checkFiles, out, err });
    }
    case 'topics':
      return withSettings(terminal, async (settings) => {
        using kafka = createClient('asking', settings, pino({ level: 'silent' }));
        const wanted = wantedTopics(settings);
        return await runTopics({ kafka, wanted, create: command.create, clock: systemClock, out, err });
      });
    case 'help':
      out(usage);
      return 0;
    case 'version':
      out(version);
      return 0;
    case 'mistaken':
      err(`${command.problem}\n\n${usage}`);
      return 2;
  }
}

/** Without settings, because those have problems of their own, any port may be meant. */
function portPolicy(settings: Settings | undefined): (port: number) => boolean {
  return (port) => settings === undefined || isInRanges(settings.egress.allowedPorts, port);
}

async function withSettings(
  { err }: Terminal,
  run: (settings: Settings, warnings: readonly string[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const loaded = await loadSettings();
  switch (loaded.kind) {
    case 'ok':
      return run(loaded.settings, loaded.warnings);
    case 'problems':
      for (const warning of loaded.warnings) err(`warning: ${warning}`);
      return refuse(loaded.problems, err);
  }
}

function refuse(problems: readonly Problem[], err: Terminal['err']): 2 {
  for (const problem of problems) err(`error: ${describeProblem(problem)}`);
  return 2;
}
