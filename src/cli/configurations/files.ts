import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { printableLines } from '../../lib/printable.ts';
import {
  checkDocuments,
  type CheckedEntry,
  type CheckedDocuments,
  type CheckOptions,
} from '../../webhooks/check-configuration.ts';
import { readText } from '../../webhooks/files/configuration-files.ts';
import { rewriteText, type Replacement } from '../../webhooks/files/document-rewriting.ts';
import { sealingKeyOf } from '../../webhooks/sealing/key-set.ts';
import { sealDocument, type SealedParts } from '../../webhooks/sealing/seal-document.ts';
import type { SealingKey } from '../../webhooks/sealing/methods.ts';
import type { CommandOf } from '../command.ts';
import { refuse } from '../with-settings.ts';
import { createOpener } from '../../webhooks/sealing/open-document.ts';
import { isSealableDocument } from '../../webhooks/sealing/sealable-parts.ts';
import type { ConfigurationsContext } from './stored.ts';

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

/** Seals the credentials in files. With problems, prints all of them, changes no file and returns exit code 2. */
export async function sealConfigurations(
  { files, write, renew }: CommandOf<'seal'>,
  context: ConfigurationsContext,
): Promise<0 | 2> {
  const { err, signal } = context;
  const key = chooseSealingKey(context);
  // Unsealed credentials are no problem here, because this command seals them.
  const checked = await checkFiles(files, { ...context, requireSealed: false });
  const needsWrite = !write && checked.files.length > 1;
  if (needsWrite) err('error: several files can only be sealed in their places: add --write');
  if (key === undefined || !checked.isValid || needsWrite) return 2;
  const sealed: SealedFile[] = [];
  const seal = (entry: CheckedEntry): Promise<SealedParts> => sealEntry(entry, key, renew);
  for (const { path } of checked.files) sealed.push(await sealFile(path, checked.entries, seal, signal));
  const problems = sealed.flatMap((file) => problemsOf(file, !write));
  if (problems.length > 0) return refuse(err, problems) ?? 2;
  for (const file of sealed) await outputFile(file, write, context);
  return 0;
}

/** Returns the key that seals. Without one, prints an error and returns undefined. */
export function chooseSealingKey({ keys, err }: ConfigurationsContext): SealingKey | undefined {
  const key = sealingKeyOf(keys ?? []);
  if (keys === undefined) err('error: WEBHOOK_KEYS_FILE is not set: expected the keys to seal with');
  else if (key === undefined) err('error: WEBHOOK_KEYS_FILE holds no key that seals');
  return key;
}

/** Seals the credentials of a valid configuration. With `renew`, also replaces the parts that are already sealed. */
export function sealEntry({ entry, opened }: CheckedEntry, key: SealingKey, renew: boolean): Promise<SealedParts> {
  return sealDocument(entry.value, key, renew ? opened : entry.value);
}

interface SealedFile {
  readonly path: string;
  readonly text: string;
  readonly parts: number;
  readonly problem?: string;
}

async function sealFile(
  path: string,
  entries: readonly CheckedEntry[],
  seal: (checked: CheckedEntry) => Promise<SealedParts>,
  signal: AbortSignal,
): Promise<SealedFile> {
  const replacements: Replacement[] = [];
  for (const checked of entries.filter(({ entry }) => entry.path === path)) {
    const { position } = checked.entry;
    for (const [field, text] of Object.entries(await seal(checked))) replacements.push({ position, field, text });
  }
  const read = await readText(path, signal);
  const rewritten = read.kind === 'text' ? rewriteText(path, read.text, replacements) : read;
  return rewritten.kind === 'text'
    ? { path, text: rewritten.text, parts: replacements.length }
    : { path, text: '', parts: 0, problem: rewritten.problem };
}

function problemsOf({ path, text, problem }: SealedFile, isPrinted: boolean): readonly string[] {
  if (problem !== undefined) return [`${path}: ${problem}`];
  if (!isPrinted || printableLines(text) === text) return [];
  return [`${path}: holds control or bidirectional characters: add --write`];
}

async function outputFile(
  { path, text, parts }: SealedFile,
  write: boolean,
  { document, err }: ConfigurationsContext,
): Promise<void> {
  if (!write) document(`${text.replace(/\n$/, '')}\n`);
  else if (parts > 0) await replaceFile(path, text);
  err(parts === 0 ? `${path}: nothing to seal` : `${path}: sealed, parts: ${parts}`);
}

/** Replaces a file atomically: readers see all of the old text or all of the new one. Keeps the mode of the file. */
async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path);
  const { mode } = await stat(file);
  // The service skips names with a leading dot, so it never reads the draft.
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
