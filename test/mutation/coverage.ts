import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSources, root, type SourceFile } from '../support/files/sources.ts';
import { instrument, type InstrumentedFile } from './regions.ts';
import type { Selection, WarmVitest } from './warm-vitest.ts';

/** One test file, and the regions of `src` that run in it. */
export interface CoveredFile extends Selection {
  /** A digest of the file and all that it imports. */
  readonly digest: string;
  /** The numbers of regions in each file of `src`. */
  readonly regions: Readonly<Record<string, readonly number[]>>;
  readonly processorMs: number;
}

/** The folders whose tests are measured. */
export const mutatedFolders: readonly string[] = [
  'src/deliveries/',
  'src/flow/',
  'src/pipeline/',
  'src/kafka/consumer/',
  'src/webhooks/',
];

const cachePath = join(root, '.cache', 'mutation', 'coverage.json');
/** The coverage run has no endless loops. */
const maxProcessorMs = 600_000;

/**
 * Returns which test files run which regions of the files, by running all test files that import one of them. Results of
 * earlier runs are used for test files that have not changed, nor anything that they import. A file with a test that fails
 * judges nothing.
 */
export async function coverageOf(
  paths: readonly string[],
  vitests: readonly [WarmVitest, ...WarmVitest[]],
  { emit, failed }: Record<'emit' | 'failed', (line: string) => void>,
): Promise<readonly CoveredFile[]> {
  const imports = new ImportClosures([...readSources('src'), ...readSources('test')]);
  const wanted = (await vitests[0].files()).filter(({ path }) => paths.some((one) => imports.of(path).has(one)));
  const known = new Map(readCache().map((file) => [file.path, file]));
  const isKnown = ({ path }: Selection): boolean => known.get(path)?.digest === imports.digestOf(path);
  const unknown = wanted.filter((file) => !isKnown(file));
  const files = instrumentedFiles();
  const left = unknown.values();
  let count = 0;
  const work = async (vitest: WarmVitest): Promise<void> => {
    for (const { path, text } of files) vitest.replace(path, text);
    for (const file of left) {
      const covered = await runInstrumented(file, { vitest, files, digest: imports.digestOf(file.path) });
      if (typeof covered === 'string') failed(`${file.path} fails without a mutant: ${covered}`);
      else known.set(file.path, covered);
      mkdirSync(dirname(cachePath), { recursive: true });
      writeFileSync(cachePath, JSON.stringify([...known.values()]));
      emit(`coverage: ${(count += 1)} of ${unknown.length} test files`);
    }
    for (const { path } of files) vitest.replace(path, undefined);
  };
  await Promise.all(vitests.map((vitest) => work(vitest)));
  return wanted.filter(isKnown).flatMap(({ path }) => known.get(path) ?? []);
}

/** Returns the files of the measured folders with marks. */
function instrumentedFiles(): readonly InstrumentedFile[] {
  let first = 0;
  return readSources('src')
    .filter(({ path }) => mutatedFolders.some((folder) => path.startsWith(folder)))
    .map(({ path, text }) => {
      const file = instrument(path, text, first);
      first += file.regions.length;
      return file;
    });
}

/** Resolves to the failure if the file fails without a mutant. */
async function runInstrumented(
  selection: Selection,
  {
    vitest,
    files,
    digest,
  }: { readonly vitest: WarmVitest; readonly files: readonly InstrumentedFile[]; readonly digest: string },
): Promise<CoveredFile | string> {
  const regions = files.reduce((sum, file) => sum + file.regions.length, 0);
  const run = () => vitest.run([selection], { bail: false, maxProcessorMs, regions });
  const first = await run();
  // A busy machine can make a test fail that is right, but rarely twice.
  const { modules, failure } = first.failure === undefined ? first : await run();
  if (failure !== undefined) return failure;
  const [{ regions: hits = [], processorMs = 0 } = {}] = modules.map((module) => module.meta());
  // Numbers that count within each file stay the same if others change.
  const byPath = Map.groupBy(hits, (hit) => files.findLast(({ firstRegion }) => firstRegion <= hit));
  const entries = [...byPath].map(([file, all]) => [file?.path, all.map((hit) => hit - (file?.firstRegion ?? 0))]);
  const { judge, path } = selection;
  return { judge, path, digest, processorMs, regions: Object.fromEntries(entries) as CoveredFile['regions'] };
}

function readCache(): readonly CoveredFile[] {
  try {
    return JSON.parse(readFileSync(cachePath, 'utf8')) as readonly CoveredFile[];
  } catch {
    return [];
  }
}

/** All that each file imports, directly or not. */
class ImportClosures {
  readonly #sources: ReadonlyMap<string, SourceFile>;
  readonly #closures = new Map<string, ReadonlySet<string>>();

  constructor(sources: readonly SourceFile[]) {
    this.#sources = new Map(sources.map((source) => [source.path, source]));
  }

  of(path: string): ReadonlySet<string> {
    const existing = this.#closures.get(path);
    if (existing !== undefined) return existing;
    const closure = new Set([path]);
    for (const one of closure) for (const target of this.#importsOf(one)) closure.add(target);
    this.#closures.set(path, closure);
    return closure;
  }

  #importsOf(path: string): readonly string[] {
    const targets = this.#sources.get(path)?.imports.map(({ target }) => target) ?? [];
    return targets.filter((target) => this.#sources.has(target));
  }

  digestOf(path: string): string {
    const texts = [...this.of(path)].toSorted().map((one) => `${one}\n${this.#sources.get(one)?.text}`);
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  }
}
