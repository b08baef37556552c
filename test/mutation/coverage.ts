import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSources, root, type SourceFile } from '../support/files/sources.ts';
import { instrument, type InstrumentedFile } from './regions.ts';
import type { Judge, Selection, TestRun, WarmVitest } from './warm-vitest.ts';

/** One test, and the regions that it runs. */
export interface CoveredTest {
  readonly id: string;
  readonly processorMs: number;
  readonly regions: RegionsByPath;
}

/** The numbers of regions in each file of `src`. */
export type RegionsByPath = Readonly<Record<string, readonly number[]>>;

/** One test file, and the regions that its tests run. */
export interface CoveredFile extends CachedFile {
  /** All that it imports, directly or not. */
  readonly imports: ReadonlySet<string>;
}

interface CachedFile {
  readonly judge: Judge;
  readonly path: string;
  /** A digest of the file and all that it imports. */
  readonly digest: string;
  /** The regions that run before the first test. */
  readonly outside: RegionsByPath;
  readonly tests: readonly CoveredTest[];
}

const cachePath = join(root, '.cache', 'mutation', 'coverage.json');
/** The coverage run has no endless loops. */
const maxProcessorMs = 600_000;

/**
 * Returns which tests run which regions of the files, by running all test files that import one of them. Results of
 * earlier runs are used for test files that have not changed, nor anything that they import. A file with a test that fails
 * judges nothing.
 */
export async function coverageOf(
  paths: readonly string[],
  vitests: readonly [WarmVitest, ...WarmVitest[]],
  { emit, failed }: CoverageReports,
): Promise<readonly CoveredFile[]> {
  const imported = new ImportClosures([...readSources('src'), ...readSources('test')]);
  const wanted = (await vitests[0].files()).filter(({ path }) => paths.some((one) => imported.of(path).has(one)));
  const known = new Map(readCache().map((file) => [file.path, file]));
  const unknown = wanted.filter(({ path }) => known.get(path)?.digest !== imported.digestOf(path));
  const instrumented = new InstrumentedFiles(readSources('src'));
  const left = unknown.values();
  let count = 0;
  const work = async (vitest: WarmVitest): Promise<void> => {
    for (const { path, text } of instrumented.files) vitest.replace(path, text);
    for (const file of left) {
      const digest = imported.digestOf(file.path);
      const result = await runInstrumented(file, { vitest, instrumented, digest });
      if (typeof result === 'string') failed(`${file.path} fails without a mutant: ${result}`);
      else known.set(file.path, result);
      writeCache([...known.values()]);
      emit(`coverage: ${(count += 1)} of ${unknown.length} test files`);
    }
    for (const { path } of instrumented.files) vitest.replace(path, undefined);
  };
  await Promise.all(vitests.map((vitest) => work(vitest)));
  const covered = wanted.flatMap(({ path }) => known.get(path) ?? []);
  return covered
    .filter(({ path, digest }) => digest === imported.digestOf(path))
    .map((file) => Object.assign(file, { imports: imported.of(file.path) }));
}

interface CoverageReports {
  readonly emit: (line: string) => void;
  /** Called for each test file that fails without a mutant. */
  readonly failed: (line: string) => void;
}

interface InstrumentedRun {
  readonly vitest: WarmVitest;
  readonly instrumented: InstrumentedFiles;
  readonly digest: string;
}

/** Resolves to the failure if the file fails without a mutant. */
async function runInstrumented(
  { judge, path }: Selection,
  { vitest, instrumented, digest }: InstrumentedRun,
): Promise<CachedFile | string> {
  const run = (): Promise<TestRun> =>
    vitest.run([{ judge, path }], { bail: false, maxProcessorMs, regions: instrumented.regions });
  const first = await run();
  // A busy machine can make a test fail that is right, but rarely twice.
  const { modules, failure } = first.failure === undefined ? first : await run();
  if (failure !== undefined) return failure;
  const tests = modules.flatMap((module) => [...module.children.allTests('passed')]);
  return {
    judge,
    path,
    digest,
    outside: instrumented.byPath(modules.flatMap((module) => module.meta().regions ?? [])),
    tests: tests.map((test) => {
      const { regions = [], processorMs = 0 } = test.meta();
      return { id: test.id, processorMs, regions: instrumented.byPath(regions) };
    }),
  };
}

function readCache(): readonly CachedFile[] {
  try {
    return JSON.parse(readFileSync(cachePath, 'utf8')) as readonly CachedFile[];
  } catch {
    return [];
  }
}

function writeCache(files: readonly CachedFile[]): void {
  mkdirSync(dirname(cachePath), { recursive: true });
  writeFileSync(cachePath, JSON.stringify(files));
}

/** The folders whose tests are measured. */
export const mutatedFolders: readonly string[] = [
  'src/deliveries/',
  'src/backpressure/',
  'src/pipeline/',
  'src/kafka/consumer/',
  'src/webhooks/',
];

/** The files with marks, and the numbers of their regions. */
class InstrumentedFiles {
  readonly files: readonly InstrumentedFile[];
  readonly regions: number;

  constructor(sources: readonly SourceFile[]) {
    const files: InstrumentedFile[] = [];
    let regions = 0;
    for (const { path, text } of sources) {
      if (!mutatedFolders.some((folder) => path.startsWith(folder))) continue;
      const file = instrument(path, text, regions);
      files.push(file);
      regions += file.regions.length;
    }
    this.files = files;
    this.regions = regions;
  }

  /** Returns numbers that count within each file, so that they stay the same if others change. */
  byPath(regions: readonly number[]): RegionsByPath {
    const numbers: Record<string, number[]> = {};
    for (const region of regions) {
      const file = this.files.findLast(({ firstRegion }) => firstRegion <= region);
      if (file !== undefined) (numbers[file.path] ??= []).push(region - file.firstRegion);
    }
    return numbers;
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
    for (const one of closure) {
      for (const { target } of this.#sources.get(one)?.imports ?? [])
        if (this.#sources.has(target)) closure.add(target);
    }
    this.#closures.set(path, closure);
    return closure;
  }

  digestOf(path: string): string {
    const texts = [...this.of(path)].toSorted().map((one) => `${one}\n${this.#sources.get(one)?.text}`);
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  }
}
