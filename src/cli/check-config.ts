import {
  describeProblem,
  loadSettings,
  type EffectiveGroup,
  type Environment,
  type LoadedSettings,
  type Settings,
} from '../settings.ts';
import type { CheckedDocuments } from '../webhooks/check-configuration.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CheckConfigCommand extends Pick<Terminal, 'out' | 'err'> {
  readonly environment: Environment;
  /** Paths of webhook configuration files. Without any, those that `WEBHOOK_CONFIGURATIONS` names are checked. */
  readonly files: readonly string[];
  /**
   * Checks webhook configuration files and the keys file, and returns the problems of each. Settings are undefined if they
   * have problems themselves. Then the checks that need settings are left out.
   */
  readonly checkFiles: (paths: readonly string[], settings: Settings | undefined) => Promise<readonly FileProblems[]>;
}

/** A file without problems is valid. */
export type FileProblems = Omit<CheckedDocuments['files'][number], 'notes'>;

/**
 * Prints the effective settings, and every problem of the settings and the files. Returns exit code 2 with problems,
 * else 0.
 */
export async function runCheckConfig(command: CheckConfigCommand): Promise<0 | 2> {
  const { environment, files, checkFiles, out, err } = command;
  const loaded = await loadSettings(environment);
  const settings = loaded.kind === 'ok' ? loaded.settings : undefined;
  const checked = await checkFiles(files.length === 0 ? configuredPaths(loaded) : files, settings);
  const problems = [...settingsProblems(loaded), ...checked.flatMap(fileProblems)];
  for (const warning of loaded.warnings) err(`warning: ${warning}`);
  for (const problem of problems) err(`error: ${problem}`);
  if (loaded.kind === 'ok') for (const line of settingsTable(loaded.settings.effective)) out(line);
  for (const { path } of checked.filter((file) => file.problems.length === 0)) out(`${path}: ok`);
  return problems.length === 0 ? 0 : 2;
}

function configuredPaths(loaded: LoadedSettings): readonly string[] {
  const source = loaded.kind === 'ok' ? loaded.settings.webhooks.source : loaded.webhookSource;
  return source?.kind === 'file' ? [source.path] : [];
}

function settingsProblems(loaded: LoadedSettings): readonly string[] {
  return loaded.kind === 'problems' ? loaded.problems.map(describeProblem) : [];
}

function fileProblems({ path, problems }: FileProblems): readonly string[] {
  return problems.map((problem) => `${path}: ${problem}`);
}

/** Formats all groups as one table with aligned columns. The value is the last column, because it can be long. */
function settingsTable(groups: readonly EffectiveGroup[]): readonly string[] {
  const all = groups.flatMap(({ settings }) => settings);
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const originWidth = Math.max(...all.map(({ origin }) => origin.length));
  return groups.flatMap(({ title, settings }, index) => [
    ...(index === 0 ? [] : ['']),
    title,
    ...settings.map(
      ({ name, value, origin }) => `  ${name.padEnd(nameWidth)}  ${origin.padEnd(originWidth)}  ${value}`,
    ),
  ]);
}
