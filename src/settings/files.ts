import { readFile as read, stat } from 'node:fs/promises';

/** Resolves with the text of a file. Rejects if it cannot be read. */
export type ReadFile = (path: string) => Promise<string>;

type FileContent =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

/** File contents by path. */
export type FileContents = ReadonlyMap<string, FileContent>;

/** 1 MiB, four times the size of a bundle of all public certificate authorities. */
const maxBytes = 1024 * 1024;
/** Bounds the read of a file on a network file system that does not answer. */
const timeoutMs = 10_000;

export async function readFiles(paths: readonly string[], readFile: ReadFile): Promise<FileContents> {
  const contents = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await contentOf(path, readFile)] as const),
  );
  return new Map(contents);
}

/** Reads a regular file. Pipes and devices are refused: they may block, and cannot be read twice. */
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

/** Drops the call and the path that Node adds after a comma: the problem already names the path. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(',', 1).join('');
}
