import { checkDocuments, type CheckedDocuments, type CheckOptions } from '../../webhooks/check-configuration.ts';
import { createOpener } from '../../webhooks/sealing/open-document.ts';
import { isSealableDocument } from '../../webhooks/sealing/sealable-parts.ts';
import type { ConfigurationsContext } from './context.ts';

/** Validates files and prints every problem. Returns exit code 2 with problems, else 0. */
export async function checkConfigurations(paths: readonly string[], context: ConfigurationsContext): Promise<0 | 2> {
  const { files, isValid } = await checkFiles(paths, context);
  for (const { path, problems } of files) if (problems.length === 0) context.out(`${path}: ok`);
  return isValid ? 0 : 2;
}

export interface CheckedFiles extends CheckedDocuments {
  readonly isValid: boolean;
}

/** Validates files as the service does, and prints every problem. With `refused`, a refused configuration with an id is valid. */
export async function checkFiles(
  paths: readonly string[],
  { rules, keys, requireSealed, signal, err }: ConfigurationsContext,
  { refused = false, ...input }: Pick<CheckOptions, 'readInput'> & { readonly refused?: boolean } = {},
): Promise<CheckedFiles> {
  const open = createOpener(keys, requireSealed);
  const checked = await checkDocuments(paths, { rules, open, signal, ...input });
  const found = checked.files.flatMap(({ problems }) => problems).length;
  const writable = checked.entries.filter(({ entry: { id, value } }) => isSealableDocument(value) && value._id === id);
  const isTaken = refused && found === writable.flatMap(({ problems }) => problems).length;
  for (const { path, problems, notes } of checked.files) {
    for (const note of notes) err(`warning: ${path}: ${note}`);
    for (const problem of problems) err(`${isTaken ? 'warning' : 'error'}: ${path}: ${problem}`);
  }
  return { ...checked, isValid: found === 0 || isTaken };
}
