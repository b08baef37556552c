import type { BigIntStats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import {
  parseDocument,
  repeatedIdProblems,
  type DocumentEntry,
  type FileProblem,
  type ParsedDocument,
} from './documents.ts';

/** What some files hold: a set of configurations to be used when there are no problems. */
export interface FilesRead {
  readonly entries: readonly DocumentEntry[];
  readonly problems: readonly FileProblem[];
}

/** What there is to read, and a fingerprint that differs once any of it has changed. */
export type FileScan =
  | { readonly kind: 'found'; readonly files: readonly string[]; readonly fingerprint: string }
  | { readonly kind: 'unusable'; readonly problem: FileProblem; readonly fingerprint: string };

type ReadText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unusable'; readonly problem: string };

/** The path names a file, or a folder: its `.json`, `.yaml` and `.yml`, those in its folders and dot files left out. */
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

/** Reads one file after the other, so that a folder of many takes no more than one file handle. */
export async function readFiles(files: readonly string[], signal: AbortSignal): Promise<FilesRead> {
  const entries: DocumentEntry[] = [];
  const problems: FileProblem[] = [];
  for (const path of files) {
    const read = await readOne(path, signal);
    if (read.kind === 'entries') for (const entry of read.entries) entries.push(entry);
    else problems.push({ path, problem: read.problem });
  }
  return { entries, problems: [...problems, ...repeatedIdProblems(entries)] };
}

const extensions: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/** `stat` follows links: Kubernetes mounts each file as a link into a dot folder. */
async function scanFolder(folder: string): Promise<FileScan> {
  const names = await readdir(folder);
  const candidates = names.filter((name) => !name.startsWith('.') && extensions.has(extname(name))).toSorted();
  const files: string[] = [];
  const fingerprints: string[] = [];
  for (const name of candidates) {
    const path = join(folder, name);
    const found = await stat(path, { bigint: true });
    if (found.isFile()) {
      files.push(path);
      fingerprints.push(fingerprint(path, found));
    }
  }
  // A volume that is not mounted looks like this, too.
  if (files.length === 0) return unusable(folder, 'holds no .json, .yaml or .yml file');
  return { kind: 'found', files, fingerprint: fingerprints.join('\n') };
}

async function readOne(path: string, signal: AbortSignal): Promise<ParsedDocument> {
  const read = await readText(path, signal);
  return read.kind === 'text' ? parseDocument(path, read.text) : read;
}

/** A byte order mark is dropped: editors put it there, unasked. */
export async function readText(path: string, signal: AbortSignal): Promise<ReadText> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path, { signal }));
    return { kind: 'text', text };
  } catch (error) {
    return { kind: 'unusable', problem: readingProblem(error) };
  }
}

/** The change time is among them because an editor, or `touch -d`, may put the modification time back. */
function fingerprint(path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function unusable(path: string, problem: string): FileScan {
  return { kind: 'unusable', problem: { path, problem }, fingerprint: `${path} ${problem}` };
}

/** Of a folder's files, the one that it is about: a link that leads nowhere, say. */
function pathNamedBy(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

function readingProblem(error: unknown): string {
  if (error instanceof TypeError) return 'is not UTF-8';
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `can't be read${code}`;
}
