import { type MonotonicClock, every } from '../../lib/clock.ts';
import { describeException } from '../sealing/document-limits.ts';
import { scanFiles, type FileScan } from './configuration-files.ts';
import type { FileProblem } from './documents.ts';

/** Pause between two polls, in ms. A change takes up to two pauses, because two polls in a row must agree. */
const pollIntervalMs = 1_000;

/** Files in YAML are loaded after this time in ms without a change: the begin of such a file may be valid, unlike that of JSON. */
const yamlSettlesMs = 10_000;

/** Content read from the files. Applied only if there are no problems. */
export interface LoadResult {
  readonly problems: readonly FileProblem[];
  readonly apply: () => void;
}

interface FileWatchOptions {
  /** A file, or a folder of files. */
  readonly path: string;
  /** The fingerprint of the content in use. */
  readonly fingerprint: string;
  readonly load: (scan: FileScan, signal: AbortSignal) => Promise<LoadResult>;
  /** Reports that the changed files are unusable. The content in use stays. */
  readonly reportFailure: (problems: readonly FileProblem[]) => void;
  readonly clock: MonotonicClock;
}

/**
 * Loads files again when they change. Polls them, because file system notifications miss changes on network volumes and
 * the second swap of a Kubernetes volume link.
 *
 * The watch owns the polling loop and the fingerprint of the content in use. The caller owns the content.
 *
 * | State | Next poll or result | Then |
 * | --- | --- | --- |
 * | unchanged | another fingerprint | settling |
 * | settling | another fingerprint again | settling |
 * | settling | the fingerprint of the content in use | unchanged |
 * | settling | the same fingerprint as the poll before, of YAML for ten seconds | loading |
 * | loading | the files changed while they were read | result dropped, settling |
 * | loading | no problems | `apply`, then unchanged |
 * | loading | problems | `reportFailure`, then failed |
 * | failed | another fingerprint | settling |
 * | failed | a minute has passed | loading |
 *
 * `SettledChange` decides between these states. Callers: the file source of configurations and the keys file.
 *
 * Promises:
 * - `apply` runs only for content without problems, and only if the files did not change while they were read.
 * - Neither callback runs after disposal has begun. Disposal awaits a load in progress, which the signal aborts.
 * - A failed version is reported once, and once more for each retry after a minute.
 * - An exception in `load` or `apply` counts as a failed version. It must not end the loop, or the process.
 */
export function watchFiles(options: FileWatchOptions): AsyncDisposable {
  const stop = new AbortController();
  const watching = watch(options, new SettledChange(options.fingerprint), stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching;
    },
  };
}

async function watch(options: FileWatchOptions, change: SettledChange, signal: AbortSignal): Promise<void> {
  const { path, clock } = options;
  await every({ ms: pollIntervalMs, clock, signal }, async () => {
    const scan = await scanFiles(path);
    const settleMs = scan.kind === 'found' && scan.files.some((file) => /\.ya?ml$/.test(file)) ? yamlSettlesMs : 0;
    if (change.isDue(scan.fingerprint, clock.monotonic(), settleMs)) await reload(options, { scan, change, signal });
  });
}

async function reload(
  { path, load, reportFailure, clock }: FileWatchOptions,
  { scan, change, signal }: { readonly scan: FileScan; readonly change: SettledChange; readonly signal: AbortSignal },
): Promise<void> {
  const { problems, apply } = await load(scan, signal).catch((error: unknown) => failed(path, error));
  const { fingerprint } = await scanFiles(path);
  // If the files changed while they were read, the result may mix two versions.
  if (signal.aborted || fingerprint !== scan.fingerprint) return;
  const failures = problems.length > 0 ? problems : applyOrFail(path, apply);
  if (failures.length > 0) {
    change.markFailed(fingerprint, clock.monotonic());
    reportFailure(failures);
  } else change.markLoaded(fingerprint);
}

function applyOrFail(path: string, apply: () => void): readonly FileProblem[] {
  try {
    apply();
    return [];
  } catch (error) {
    return failed(path, error).problems;
  }
}

function failed(path: string, error: unknown): LoadResult {
  return { problems: [{ path, problem: `can't be used: ${describeException(error)}` }], apply: () => undefined };
}

/** Pause before a failed load is repeated. Its cause, such as too few file handles, may not show in the files. */
const retryAfterMs = 60_000;

/**
 * Decides when polled files are loaded: after they have changed, two polls in a row saw the same change, and it is as old as it
 * has to be. A file that is still being written may be valid and yet hold only half of its configurations.
 */
export class SettledChange {
  #loaded: string;
  #lastSeen: string;
  #seenAt = Number.NEGATIVE_INFINITY;
  #retryAt = Number.POSITIVE_INFINITY;

  /** `loaded` is the fingerprint of the files as they were first loaded. */
  constructor(loaded: string) {
    this.#loaded = loaded;
    this.#lastSeen = loaded;
  }

  /** Returns whether the files of this poll are to be loaded. A change has to be `settleMs` old. */
  isDue(fingerprint: string, now: number, settleMs = 0): boolean {
    const isSame = fingerprint === this.#lastSeen;
    if (!isSame) this.#seenAt = now;
    this.#lastSeen = fingerprint;
    return isSame && now - this.#seenAt >= settleMs && (fingerprint !== this.#loaded || now >= this.#retryAt);
  }

  markLoaded(fingerprint: string): void {
    this.#loaded = fingerprint;
    this.#retryAt = Number.POSITIVE_INFINITY;
  }

  /** Postpones the next load until the files change or a minute has passed. */
  markFailed(fingerprint: string, now: number): void {
    this.#loaded = fingerprint;
    this.#retryAt = now + retryAfterMs;
  }
}
