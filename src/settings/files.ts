import { readFile as read, stat } from 'node:fs/promises';

/** The text of a file; rejects when it can't be had. */
export type ReadFile = (path: string) => Promise<string>;

export type FileContent =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

/** By path. */
export type FileContents = ReadonlyMap<string, FileContent>;

/** Bundles of all public certificate authorities have a quarter of this. */
const maxBytes = 1024 * 1024;
const timeoutMs = 10_000;

export async function readFiles(paths: readonly string[], readFile: ReadFile): Promise<FileContents> {
  const contents = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await contentOf(path, readFile)] as const),
  );
  return new Map(contents);
}

/** Pipes and devices are refused: they could keep us waiting, and can't be read again. */
export async function readTextFile(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > maxBytes) throw new Error('it is larger than 1 MiB');
  const bytes = await read(path, { signal: AbortSignal.timeout(timeoutMs) });
  return decode(bytes);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('it is not UTF-8', { cause });
  }
}

async function contentOf(path: string, readFile: ReadFile): Promise<FileContent> {
  try {
    return { kind: 'text', text: await readFile(path) };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** Node adds the call and the path behind a comma; the path is told anyway. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(',', 1).join('');
}
