import {
  configurationRules,
  describeProblem,
  loadSettings,
  processEnvironment,
  type EffectiveGroup,
  type Environment,
  type LoadedSettings,
  type Settings,
} from '../settings.ts';
import { checkDocuments, type CheckedDocuments } from '../webhooks/check-configuration.ts';
import { KeysFileError } from '../webhooks/files/file-errors.ts';
import { readKeysFile } from '../webhooks/files/keys-file.ts';
import { createOpener, ignoreSealed } from '../webhooks/sealing/open-document.ts';
import type { Terminal } from './terminal/terminal.ts';
import { refuse } from './with-settings.ts';

/**
 * Prints the effective settings, and every problem of settings and files. Without any file, those that `WEBHOOK_CONFIGURATIONS`
 * names are checked. Returns exit code 2 with problems, else 0.
 */
export async function checkEnvironment(
  files: readonly string[],
  { out, err, signal }: Pick<Terminal, 'out' | 'err' | 'signal'>,
  environment: Environment = processEnvironment(),
): Promise<0 | 2> {
  const loaded = await loadSettings(environment);
  const settings = loaded.kind === 'ok' ? loaded.settings : undefined;
  const checked = await checkConfigurationFiles(pathsOf(files, loaded), settings, signal);
  for (const warning of loaded.warnings) err(`warning: ${warning}`);
  const code = refuse(err, [
    ...(loaded.kind === 'problems' ? loaded.problems.map(describeProblem) : []),
    ...checked.flatMap(({ path, problems }) => problems.map((problem) => `${path}: ${problem}`)),
  ]);
  if (settings !== undefined) for (const line of settingsTable(settings.effective)) out(line);
  for (const { path, problems } of checked) if (problems.length === 0) out(`${path}: ok`);
  return code ?? 0;
}

function pathsOf(files: readonly string[], loaded: LoadedSettings): readonly string[] {
  if (files.length > 0) return files;
  const source = loaded.kind === 'ok' ? loaded.settings.webhooks.source : loaded.webhookSource;
  return source?.kind === 'file' ? [source.path] : [];
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

/**
 * Checks webhook configuration files and the keys file, and returns the problems of each. Settings are undefined if they have
 * problems themselves. Then the checks that need settings are left out.
 */
export async function checkConfigurationFiles(
  paths: readonly string[],
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<readonly Omit<CheckedDocuments['files'][number], 'notes'>[]> {
  const { open, unusable } = await openerOf(settings, signal);
  const { files } = await checkDocuments(paths, { rules: configurationRules(settings), open, signal });
  // The service refuses what it has no private key for, so a note of the check is a problem here.
  return [...unusable, ...files.map(({ path, problems, notes }) => ({ path, problems: [...problems, ...notes] }))];
}

/**
 * Ignores sealed parts if the settings or the keys file are invalid, because the keys are unknown then. `unusable` is the keys
 * file, if it can't be used.
 */
async function openerOf(settings: Settings | undefined, signal: AbortSignal) {
  if (settings === undefined) return { open: ignoreSealed, unusable: [] };
  const { keys: { file } = {}, requireSealed } = settings.webhooks;
  try {
    const keys = file === undefined ? undefined : await readKeysFile(file, signal);
    return { open: createOpener(keys, requireSealed), unusable: [] };
  } catch (error) {
    if (file === undefined || !(error instanceof KeysFileError)) throw error;
    return { open: ignoreSealed, unusable: [{ path: file, problems: error.problems }] };
  }
}
