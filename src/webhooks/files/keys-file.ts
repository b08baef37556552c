import type { MonotonicClock } from '../../lib/clock.ts';
import { readText, scanFiles } from './configuration-files.ts';
import { KeysFileError } from './file-errors.ts';
import { watchFiles, type LoadResult } from './file-watch.ts';
import { parseKeySet, type KeySet, type ParsedKeySet } from '../sealing/key-set.ts';

/** Events of reloads after the start. */
export interface KeysFileEvents {
  /** `keys` is their number now. */
  keysReloaded(reloaded: { readonly keys: number }): void;
  /** The last good keys stay in use. */
  configurationReloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

interface KeysFileOptions {
  readonly path: string;
  /** Receives the keys before the start resolves, and again after each reload. */
  readonly use: (keys: KeySet) => void;
  readonly events: KeysFileEvents;
  readonly clock: MonotonicClock;
  /** Aborts the start. A started watch is stopped by disposing of it. */
  readonly signal: AbortSignal;
}

/** Loads the keys, and reloads them when their file changes. Throws a `KeysFileError` if the first load fails. */
export async function startKeysFile(options: KeysFileOptions): Promise<AsyncDisposable> {
  const { path, use, events, clock, signal } = options;
  const { fingerprint } = await scanFiles(path);
  use(await readKeysFile(path, signal));
  signal.throwIfAborted();
  return watchFiles({
    path,
    clock,
    fingerprint,
    load: (_scan, stop) => load(options, stop),
    reportFailure: (problems) =>
      events.configurationReloadFailed({ path, reason: problems.map(({ problem }) => problem).join('; ') }),
  });
}

/** Reads the keys once. Throws a `KeysFileError` if they are unusable. */
export async function readKeysFile(path: string, signal: AbortSignal): Promise<KeySet> {
  const parsed = await parseFile(path, signal);
  if (parsed.kind === 'unusable') throw new KeysFileError(path, parsed.problems);
  return parsed.keys;
}

async function load({ path, use, events }: KeysFileOptions, signal: AbortSignal): Promise<LoadResult> {
  const parsed = await parseFile(path, signal);
  if (parsed.kind === 'unusable') {
    return { problems: parsed.problems.map((problem) => ({ path, problem })), apply: () => undefined };
  }
  return {
    problems: [],
    apply: () => {
      use(parsed.keys);
      events.keysReloaded({ keys: parsed.keys.length });
    },
  };
}

async function parseFile(path: string, signal: AbortSignal): Promise<ParsedKeySet> {
  const read = await readText(path, signal);
  return read.kind === 'text' ? parseKeySet(read.text) : { kind: 'unusable', problems: [read.problem] };
}
