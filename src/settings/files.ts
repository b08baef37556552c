import { readdir, readFile as read, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '../lib/secret.ts';
import type { FileSource } from './environment.ts';
import { authorities } from './kinds/file-kinds.ts';
import type { FileValue, SecretSetting, Variable } from './variable.ts';

export type ReadFile = (path: string, variable: Pick<Variable, 'kind'>) => Promise<string>;

type FileContent =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

/** The contents by the name of the variable that holds the path. */
export type FileContents = ReadonlyMap<string, FileContent>;

/** 1 MiB, four times the size of a bundle of all public certificate authorities. */
const maxBytes = 1024 * 1024;
/** Bounds the read of a file or folder on a network file system that does not answer. */
const timeoutMs = 10_000;
/** Bounds a folder of certificate authorities, together with `maxBytes`. */
const maxFiles = 100;

export async function readFiles(named: readonly FileSource[], readFile: ReadFile): Promise<FileContents> {
  return new Map(
    await Promise.all(named.map(async (file) => [file.namedBy, await contentOf(file, readFile)] as const)),
  );
}

/**
 * Reads a regular file, or the certificate authorities of a folder, joined. Pipes and devices are refused: they may block, and
 * cannot be read twice.
 */
export async function readTextFile(path: string, { kind }: Pick<Variable, 'kind'>): Promise<string> {
  const isFolder = kind === authorities && (await stat(path)).isDirectory();
  const texts: string[] = [];
  const signal = AbortSignal.timeout(timeoutMs);
  let bytesLeft = maxBytes;
  for (const file of isFolder ? await authorityFiles(path) : [path]) {
    const found = await stat(file);
    if (!found.isFile()) throw new Error('it is not a file');
    bytesLeft -= found.size;
    if (bytesLeft < 0) throw new Error('it is larger than 1 MiB');
    texts.push(decode(await read(file, { signal })));
  }
  return texts.join('\n');
}

/** Passes over dot files: Kubernetes mounts each file as a link into a dot folder. */
async function authorityFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => /^[^.].*\.(?:crt|pem)$/v.test(name)).toSorted();
  if (names.length === 0) throw new Error('it is a folder in which no file ends in .crt or .pem');
  if (names.length > maxFiles) throw new Error(`it is a folder with more than ${maxFiles} .crt and .pem files`);
  return names.map((name) => join(folder, name));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('it is not UTF-8', { cause });
  }
}

async function contentOf({ path, variable }: FileSource, readFile: ReadFile): Promise<FileContent> {
  try {
    return { kind: 'text', text: await readFile(path, variable) };
  } catch (error) {
    // Node adds the call and the path after a comma. The problem already names the path.
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', reason: message.split(',', 1).join('') };
  }
}

/** Returns the text that a file holds for a variable. Drops one newline at the end of a secret, because editors add it. */
export function textFor({ secret }: Variable, content: string): string {
  return secret === true ? content.replace(/\r?\n$/, '') : content;
}

/** Thrown if a changed file cannot be used. The content read before stays in use. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** Reads a value from its file again. Throws a `SecretFileError`, which does not contain the file's content. */
export async function readAgain<T>({ value, file, namedBy, variable }: FileValue<T>): Promise<T> {
  if (file === undefined) return value;
  const content = await readTextFile(file, variable).catch((cause: unknown) => {
    throw new SecretFileError(`${namedBy} names a file that cannot be read: ${file}`, { cause });
  });
  const parsed = variable.kind.parse(textFor(variable, content));
  if (parsed.kind === 'value') return parsed.value;
  throw new SecretFileError(`${namedBy} names a file that does not contain ${variable.kind.expected}: ${file}`);
}

/**
 * Returns a function that reads the secret from its file again, or returns the last one if the file is unusable. Calls
 * during a read share its result. A secret without a file never changes.
 */
export function freshSecret(setting: SecretSetting): () => Promise<Secret> {
  let last = setting.value;
  let reading: Promise<Secret> | undefined;
  if (setting.file === undefined) return () => Promise.resolve(last);
  const readSecret = async (): Promise<Secret> => {
    try {
      last = await readAgain(setting);
    } catch (error) {
      // If the last secret is no longer valid, the server refuses it, and that failure is reported.
      if (!(error instanceof SecretFileError)) throw error;
    }
    return last;
  };
  return () => (reading ??= readSecret().finally(() => (reading = undefined)));
}
