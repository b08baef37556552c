import { checkDocuments, type CheckedDocuments, type CheckOptions } from '../../webhooks/check-configuration.ts';
import { createOpener } from '../../webhooks/sealing/open-document.ts';
import type { ConfigurationsContext } from './context.ts';

export interface CheckedFiles extends CheckedDocuments {
  readonly isValid: boolean;
}

/** Validates configuration files as the service does, and prints every problem. */
export async function checkFiles(
  paths: readonly string[],
  context: ConfigurationsContext,
  input: Pick<CheckOptions, 'readInput'> = {},
): Promise<CheckedFiles> {
  const { rules, keys, requireSealed, signal, err } = context;
  const open = createOpener(keys, requireSealed);
  const checked = await checkDocuments(paths, { rules, open, signal, ...input });
  for (const { path, problems, notes } of checked.files) {
    for (const note of notes) err(`warning: ${path}: ${note}`);
    for (const problem of problems) err(`error: ${path}: ${problem}`);
  }
  return { ...checked, isValid: checked.files.every(({ problems }) => problems.length === 0) };
}

/** Validates files and prints every problem. Returns exit code 2 with problems, else 0. */
export async function checkConfigurations(files: readonly string[], context: ConfigurationsContext): Promise<0 | 2> {
  const { files: checked, isValid } = await checkFiles(files, context);
  for (const { path, problems } of checked) if (problems.length === 0) context.out(`${path}: ok`);
  return isValid ? 0 : 2;
}
