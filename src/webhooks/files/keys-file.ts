import type { Clock } from '../../lib/clock.ts';
import { readText, scanFiles } from './configuration-files.ts';
import { watchFiles, type Loaded } from './file-watch.ts';
import { parseKeySet, type KeySet, type ParsedKeySet } from '../sealing/key-set.ts';

/** What becomes of the file. */
interface KeysFileEvents {
  reloaded(reloaded: { readonly keys: number }): void;
  /** The last good keys are kept. */
  reloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

interface KeysFileOptions {
  readonly path: string;
  /** Called with the keys of the file before the start resolves, and each time they have changed. */
  readonly use: (keys: KeySet) => void;
  readonly events: KeysFileEvents;
  readonly clock: Clock;
  /** Calls off the start; what has started is disposed of. */
  readonly signal: AbortSignal;
  readonly checkEveryMs?: number;
}

/** The file holds no usable set of keys. The message names it, and each entry with what is wrong; no key is in it. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';

  constructor(path: string, problems: readonly string[]) {
    super(`${path}: ${problems.join('; ')}`);
  }
}

/** Reads the keys, and reads them again when their file changes. Throws a `KeysFileError` when they can't be used. */
export async function startKeysFile(options: KeysFileOptions): Promise<AsyncDisposable> {
  const { path, use, events, signal } = options;
  const { fingerprint } = await scanFiles(path);
  use(await readKeysFile(path, signal));
  signal.throwIfAborted();
  return watchFiles({
    ...options,
    fingerprint,
    load: (_survey, stop) => load(options, stop),
    failed: (problems) => events.reloadFailed({ path, reason: problems.map(({ problem }) => problem).join('; ') }),
  });
}

/** Throws a `KeysFileError`. */
export async function readKeysFile(path: string, signal: AbortSignal): Promise<KeySet> {
  const parsed = await parseFile(path, signal);
  if (parsed.kind === 'unusable') throw new KeysFileError(path, parsed.problems);
  return parsed.keys;
}

async function load({ path, use, events }: KeysFileOptions, signal: AbortSignal): Promise<Loaded> {
  const parsed = await parseFile(path, signal);
  if (parsed.kind === 'unusable') {
    return { problems: parsed.problems.map((problem) => ({ path, problem })), use: () => undefined };
  }
  return {
    problems: [],
    use: () => {
      use(parsed.keys);
      events.reloaded({ keys: parsed.keys.length });
    },
  };
}

async function parseFile(path: string, signal: AbortSignal): Promise<ParsedKeySet> {
  const read = await readText(path, signal);
  return read.kind === 'text' ? parseKeySet(read.text) : { kind: 'unusable', problems: [read.problem] };
}
