import type { Clock } from '../../lib/clock.ts';
import { readFiles, scanFiles, type FilesRead, type FileScan } from './configuration-files.ts';
import type { ConfigurationDocument, ConfigurationSink } from '../directory.ts';
import type { DocumentEntry, FileProblem } from './documents.ts';
import { watchFiles, type Loaded } from './file-watch.ts';

/** What the file source tells. */
interface FileSourceEvents {
  reloaded(reloaded: { readonly path: string; readonly configurations: number }): void;
  /** The last good configurations are kept. The reason is one line, and names the files. */
  reloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

interface FileSource extends AsyncDisposable {
  /** Resolves at once: what was in the files at the last look is what counts. */
  caughtUp(): Promise<void>;
}

interface FileSourceOptions {
  /** A file, or a folder of files. */
  readonly path: string;
  readonly directory: Pick<ConfigurationSink, 'replaceAll'>;
  readonly events: FileSourceEvents;
  readonly clock: Clock;
  /** Calls off the start; a source that has started is disposed of. */
  readonly signal: AbortSignal;
  /** A change counts once two looks in a row have seen it. */
  readonly checkEveryMs?: number;
}

/**
 * Fills the directory before it resolves, and keeps it in step with the files. Throws a `ConfigurationFilesError` when
 * the files can't be used as they are at the start.
 */
export async function startFileSource(options: FileSourceOptions): Promise<FileSource> {
  const { path, directory, signal, events } = options;
  const survey = await scanFiles(path);
  const read = await readScannedFiles(survey, signal);
  signal.throwIfAborted();
  if (read.problems.length > 0) throw new ConfigurationFilesError(read.problems);
  directory.replaceAll(toDocuments(read.entries));
  const watch = watchFiles({
    ...options,
    fingerprint: survey.fingerprint,
    load: (changed, stop) => load(options, changed, stop),
    failed: (problems) => events.reloadFailed({ path, reason: describeProblems(problems) }),
  });
  return {
    caughtUp: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

/** The files hold no usable set of configurations. The message names each of them and why. */
export class ConfigurationFilesError extends Error {
  override readonly name = 'ConfigurationFilesError';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(describeProblems(problems));
    this.problems = problems;
  }
}

async function load(
  { path, directory, events }: FileSourceOptions,
  survey: FileScan,
  signal: AbortSignal,
): Promise<Loaded> {
  const { entries, problems } = await readScannedFiles(survey, signal);
  return {
    problems,
    use: () => {
      directory.replaceAll(toDocuments(entries));
      events.reloaded({ path, configurations: entries.length });
    },
  };
}

async function readScannedFiles(survey: FileScan, signal: AbortSignal): Promise<FilesRead> {
  if (survey.kind === 'unusable') return { entries: [], problems: [survey.problem] };
  return readFiles(survey.files, signal);
}

/** The directory keeps documents as JSON, whatever the file is written in. One at a time: there may be a million. */
function* toDocuments(entries: readonly DocumentEntry[]): Generator<ConfigurationDocument> {
  for (const { id, value } of entries) yield { id, document: Buffer.from(JSON.stringify(value), 'utf8') };
}

function describeProblems(problems: readonly FileProblem[]): string {
  return problems.map(({ path, problem }) => `${path} ${problem}`).join('; ');
}
