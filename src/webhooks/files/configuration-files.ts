import type { BigIntStats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { unlessAborted } from '../../lib/aborted.ts';
import { describeException } from '../sealing/document-limits.ts';
import {
  parseDocument,
  duplicateIdProblems,
  type DocumentEntry,
  type FileProblem,
  type ParsedDocument,
} from './documents.ts';

/** The configurations read from a set of files. Usable only if there are no problems. */
export interface ReadResult {
  readonly entries: readonly DocumentEntry[];
  readonly problems: readonly FileProblem[];
}

/** The files to read, and a fingerprint that changes when any of them changes. */
export type FileScan =
  | { readonly kind: 'found'; readonly files: readonly string[]; readonly fingerprint: string }
  | { readonly kind: 'unusable'; readonly problem: FileProblem; readonly fingerprint: string };

/** The text of a file, or why there is none. */
export type ReadText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unusable'; readonly problem: string };

/**
 * Lists the files at a path and computes their fingerprint, without reading them. The path names a file or a folder.
 * In a folder, `.json`, `.yaml` and `.yml` files count; dot files and subfolders are ignored.
 */
export async function scanFiles(path: string): Promise<FileScan> {
  try {
    const root = await stat(path, { bigint: true });
    if (root.isFile()) return { kind: 'found', files: [path], fingerprint: fingerprint(path, root) };
    if (root.isDirectory()) return await scanFolder(path);
    return unusable(path, 'is neither a file nor a folder');
  } catch (error) {
    return unusable(pathNamedBy(error) ?? path, readingProblem(error));
  }
}

/** Reads the files one by one, so that a large folder needs only one file handle. */
export async function readFiles(
  files: readonly string[],
  read: (path: string) => Promise<ReadText>,
): Promise<ReadResult> {
  const entries: DocumentEntry[] = [];
  const problems: FileProblem[] = [];
  for (const path of files) {
    const parsed = parseOne(path, await read(path));
    if (parsed.kind === 'entries') for (const entry of parsed.entries) entries.push(entry);
    else problems.push({ path, problem: parsed.problem });
  }
  return { entries, problems: [...problems, ...duplicateIdProblems(entries)] };
}

const extensions: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/** Scans a folder. Uses `stat`, which follows links: Kubernetes mounts each file as a link into a dot folder. */
async function scanFolder(folder: string): Promise<FileScan> {
  const names = await readdir(folder);
  const candidates = names.filter((name) => !name.startsWith('.') && extensions.has(extname(name))).toSorted();
  const files: string[] = [];
  const fingerprints: string[] = [];
  for (const name of candidates) {
    const path = join(folder, name);
    const stats = await stat(path, { bigint: true });
    if (stats.isFile()) {
      files.push(path);
      fingerprints.push(fingerprint(path, stats));
    }
  }
  // An error rather than an empty set, because a volume that is not mounted looks the same.
  if (files.length === 0) return unusable(folder, 'holds no .json, .yaml or .yml file');
  return { kind: 'found', files, fingerprint: fingerprints.join('\n') };
}

function parseOne(path: string, read: ReadText): ParsedDocument {
  if (read.kind === 'unusable') return read;
  try {
    return parseDocument(path, read.text);
  } catch (error) {
    return { kind: 'unusable', problem: `can't be used: ${describeException(error)}` };
  }
}

export function readText(path: string, signal: AbortSignal): Promise<ReadText> {
  return decode(readFile(path, { signal }));
}

export function readStream(stream: Readable, signal: AbortSignal): Promise<ReadText> {
  return decode(unlessAborted(signal, buffer(stream)));
}

/** Drops a byte order mark, which some editors add. */
async function decode(bytes: Promise<Buffer>): Promise<ReadText> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await bytes);
    return { kind: 'text', text };
  } catch (error) {
    return { kind: 'unusable', problem: readingProblem(error) };
  }
}

/** Identifies one version of a file. Includes the change time, because editors or `touch -d` may reset `mtime`. */
function fingerprint(path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function unusable(path: string, problem: string): FileScan {
  return { kind: 'unusable', problem: { path, problem }, fingerprint: `${path} ${problem}` };
}

/** Returns the path in a file system error. In a folder it names the file concerned, such as a dangling link. */
function pathNamedBy(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

function readingProblem(error: unknown): string {
  if (error instanceof TypeError) return 'is not UTF-8';
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `can't be read${code}`;
}
