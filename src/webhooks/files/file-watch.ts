import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import { scanFiles, type FileScan } from './configuration-files.ts';
import { SettledChange } from '../settled-change.ts';
import type { FileProblem } from './documents.ts';

/** What the files came to: to be used when nothing is wrong with them. */
export interface Loaded {
  readonly problems: readonly FileProblem[];
  readonly use: () => void;
}

interface FileWatchOptions {
  /** A file, or a folder of files. */
  readonly path: string;
  /** Of what is in use. */
  readonly fingerprint: string;
  readonly load: (survey: FileScan, signal: AbortSignal) => Promise<Loaded>;
  /** What is in use stays so. */
  readonly failed: (problems: readonly FileProblem[]) => void;
  readonly clock: Clock;
  /** A change counts once two looks in a row have seen it. */
  readonly checkEveryMs?: number | undefined;
}

/**
 * Loads files again when they change. Looking at them again and again is the one way that sees every change:
 * notifications miss Kubernetes' second swap of a mounted link, and network volumes.
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
  const { path, clock, checkEveryMs: lookEveryMs = 1_000 } = options;
  await every({ ms: lookEveryMs, clock, signal }, async () => {
    const survey = await scanFiles(path);
    if (change.isDue(survey.fingerprint, clock.now())) await reload(options, { survey, change, signal });
  });
}

async function reload(
  { path, load, failed, clock }: FileWatchOptions,
  { survey, change, signal }: { readonly survey: FileScan; readonly change: SettledChange; readonly signal: AbortSignal },
): Promise<void> {
  const { problems, use } = await load(survey, signal);
  const { fingerprint } = await scanFiles(path);
  // Changed while it was read: what was read may be half of one version and half of the next.
  if (signal.aborted || fingerprint !== survey.fingerprint) return;
  if (problems.length > 0) {
    change.markFailed(fingerprint, clock.now());
    failed(problems);
    return;
  }
  use();
  change.loaded(fingerprint);
}
