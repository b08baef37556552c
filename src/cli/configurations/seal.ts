import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { printableLines } from '../../lib/printable.ts';
import type { CheckedEntry } from '../../webhooks/check-configuration.ts';
import { readText } from '../../webhooks/files/configuration-files.ts';
import { rewriteText, type Replacement } from '../../webhooks/files/document-rewriting.ts';
import { sealingKeyOf } from '../../webhooks/sealing/key-set.ts';
import { sealDocument, type SealedParts } from '../../webhooks/sealing/seal-document.ts';
import type { SealingKey } from '../../webhooks/sealing/sealing-key.ts';
import type { CommandOf } from '../command.ts';
import { checkFiles, type CheckedFiles } from './check.ts';
import type { ConfigurationsContext } from './context.ts';

type SealCommand = CommandOf<'seal'>;

/** Seals the credentials in files. With problems, prints all of them, changes no file and returns exit code 2. */
export async function sealConfigurations(command: SealCommand, context: ConfigurationsContext): Promise<0 | 2> {
  const key = chooseSealingKey(context);
  // Unsealed credentials are no problem here, because this command seals them.
  const checked = await checkFiles(command.files, { ...context, requireSealed: false });
  const needsWrite = !command.write && checked.files.length > 1;
  if (needsWrite) context.err('error: several files can only be sealed in their places: add --write');
  if (key === undefined || !checked.isValid || needsWrite) return 2;
  const sealed = await sealAll(checked, { key, renew: command.renew, signal: context.signal });
  const problems = sealed.flatMap((file) => problemsOf(file, command));
  for (const problem of problems) context.err(problem);
  if (problems.length > 0) return 2;
  for (const file of sealed) await outputFile(file, command, context);
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

function problemsOf({ path, text, problem }: SealedFile, { write }: SealCommand): readonly string[] {
  if (problem !== undefined) return [`error: ${path}: ${problem}`];
  if (write || printableLines(text) === text) return [];
  return [`error: ${path}: holds control or bidirectional characters: add --write`];
}

interface SealOptions {
  readonly key: SealingKey;
  readonly renew: boolean;
  readonly signal: AbortSignal;
}

async function sealAll({ files, entries }: CheckedFiles, options: SealOptions): Promise<readonly SealedFile[]> {
  const sealed: SealedFile[] = [];
  for (const { path } of files) {
    const own = entries.filter(({ entry }) => entry.path === path);
    sealed.push(await sealFile(path, await replacementsOf(own, options), options.signal));
  }
  return sealed;
}

async function replacementsOf(
  entries: readonly CheckedEntry[],
  { key, renew }: SealOptions,
): Promise<readonly Replacement[]> {
  const replacements: Replacement[] = [];
  for (const checked of entries) {
    const { position } = checked.entry;
    const parts = await sealEntry(checked, key, renew);
    for (const [field, text] of Object.entries(parts)) replacements.push({ position, field, text });
  }
  return replacements;
}

async function sealFile(path: string, replacements: readonly Replacement[], signal: AbortSignal): Promise<SealedFile> {
  const read = await readText(path, signal);
  const rewritten = read.kind === 'text' ? rewriteText(path, read.text, replacements) : read;
  return rewritten.kind === 'text'
    ? { path, text: rewritten.text, parts: replacements.length }
    : { path, text: '', parts: 0, problem: rewritten.problem };
}

async function outputFile(
  { path, text, parts }: SealedFile,
  { write }: SealCommand,
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
