import type { MonotonicClock } from '../../lib/clock.ts';
import { isTooDeep, maxDepth } from '../sealing/document-limits.ts';
import { readFiles, readText, scanFiles, type ReadResult, type FileScan } from './configuration-files.ts';
import type { ConfigurationDocument } from '../directory.ts';
import type { DocumentEntry } from './documents.ts';
import { ConfigurationFilesError, describeProblems } from './file-errors.ts';
import { watchFiles, type LoadResult } from './file-watch.ts';

/** Events of reloads after the start. */
export interface FileSourceEvents {
  /** `configurations` is their number now. */
  configurationsReloaded(reloaded: { readonly configurations: number }): void;
  /** The last good configurations stay in use. The reason is one line, and names the files. */
  configurationReloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

interface FileSourceOptions {
  /** A file, or a folder of files. */
  readonly path: string;
  readonly directory: { replaceAll(configurations: Iterable<ConfigurationDocument>): void };
  readonly events: FileSourceEvents;
  readonly clock: MonotonicClock;
  /** Aborts the start. A started source is stopped by disposing of it. */
  readonly signal: AbortSignal;
}

/**
 * Loads the webhook configurations from files into the directory, and keeps the directory in step with the files.
 *
 * The source owns the watch on the files. The directory owns the configurations.
 *
 * | Phase | Files usable | Files unusable |
 * | --- | --- | --- |
 * | start | fills the directory, then resolves | throws a `ConfigurationFilesError`, so the process does not start |
 * | reload | replaces the directory's content, emits `configurationsReloaded` | emits `configurationReloadFailed`, keeps the last good set |
 *
 * Callers: the service starts it before it reads records, with a `VersionReader` as `directory`.
 *
 * Promises:
 * - All files count as one set. If one file can't be read or parsed, or an id occurs twice, no file is applied.
 * - One invalid configuration does not make a file unusable. The directory refuses that configuration alone.
 * - `replaceAll` also removes the configurations that are no longer in the files.
 * - No problem or reason quotes the text of a file, because files hold credentials.
 */
export async function startFileSource(options: FileSourceOptions): Promise<AsyncDisposable> {
  const { path, directory, events, clock, signal } = options;
  const scan = await scanFiles(path);
  const read = await readScannedFiles(scan, signal);
  signal.throwIfAborted();
  if (read.problems.length > 0) throw new ConfigurationFilesError(read.problems);
  directory.replaceAll(toDocuments(read.entries));
  return watchFiles({
    path,
    clock,
    // From before the read, so that a change during it is noticed.
    fingerprint: scan.fingerprint,
    load: (changedScan, stop) => load(options, changedScan, stop),
    reportFailure: (problems) => events.configurationReloadFailed({ path, reason: describeProblems(problems) }),
  });
}

async function load(
  { directory, events }: FileSourceOptions,
  scan: FileScan,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { entries, problems } = await readScannedFiles(scan, signal);
  return {
    problems,
    apply: () => {
      directory.replaceAll(toDocuments(entries));
      events.configurationsReloaded({ configurations: entries.length });
    },
  };
}

async function readScannedFiles(scan: FileScan, signal: AbortSignal): Promise<ReadResult> {
  if (scan.kind === 'unusable') return { entries: [], problems: [scan.problem] };
  return readFiles(scan.files, (path) => readText(path, signal));
}

/** Converts the entries to the JSON that the directory keeps. A generator, because there may be a million entries. */
function* toDocuments(entries: readonly DocumentEntry[]): Generator<ConfigurationDocument> {
  for (const { id, value } of entries) yield { id, document: Buffer.from(toJson(value), 'utf8') };
}

/** Serialises a value that was parsed. Of one that is too deep, only as much that the directory refuses it for that. */
function toJson(value: unknown): string {
  return JSON.stringify(isTooDeep(value) ? shallow(value, maxDepth) : value);
}

/** Copies a value down to `levels` levels below it. Deeper objects and lists become empty. */
function shallow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return [];
  if (Array.isArray(value)) return value.map((item: unknown) => shallow(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shallow(field, levels - 1)]));
}
