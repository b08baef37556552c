import { join } from 'node:path';
import { createVitest, type TestModule, type TestSpecification, type Vitest } from 'vitest/node';
import { root } from '../support/files/sources.ts';

/** The judges of mutants. Both run without Kafka. */
export type Judge = 'unit' | 'simulation';

/** A test file. */
export interface Selection {
  readonly judge: Judge;
  /** The path from the root. */
  readonly path: string;
}

interface RunOptions {
  /** Stops at the first failure. */
  readonly bail: boolean;
  readonly maxProcessorMs: number;
  /** The number of regions to watch. */
  readonly regions: number;
}

/** The result of a run. */
interface TestRun {
  readonly modules: readonly TestModule[];
  /** The first failure; undefined if everything passed. */
  readonly failure: string | undefined;
  /** True if a process used too much processor time, or a test took too long. */
  readonly timedOut: boolean;
}

const unitTests = 'test/{deliveries,flow,pipeline,webhooks,kafka/consumer}/**/*.test.ts';
/** Tests that need Kafka, or that measure processor time and so fail on a busy machine. */
const leftOut = ['**/*.kafka.test.ts', '**/hostile/processes/*.test.ts'];
const simulations = ['test/mutation/judges/*.judge.ts', 'test/simulation/webhook-limits.simulation.ts'];
/** Ends a test that waits for ever because of a mutant. Processor time ends an endless loop, and so the simulation. */
const testTimeouts: Readonly<Record<Judge, number>> = { unit: 10_000, simulation: 600_000 };

/**
 * Runs tests again and again in one instance of vitest, with other texts in place of files of `src`. Each test file has a
 * process of its own, so no module of an earlier run is left. Transformed files are kept, except those replaced.
 */
export class WarmVitest {
  readonly #vitest: Vitest;
  readonly #texts: Map<string, string>;

  private constructor(vitest: Vitest, texts: Map<string, string>) {
    this.#vitest = vitest;
    this.#texts = texts;
  }

  static async start(): Promise<WarmVitest> {
    const texts = new Map<string, string>();
    const replaceTexts = {
      name: 'replace-texts',
      enforce: 'pre' as const,
      load: (id: string) => texts.get(id),
    };
    const project = (name: Judge, include: readonly string[], setupFiles: readonly string[]) => ({
      root,
      plugins: [replaceTexts],
      test: {
        name,
        include: [...include],
        exclude: [...leftOut],
        setupFiles: [join(import.meta.dirname, 'setup.ts'), ...setupFiles.map((path) => join(root, path))],
        testTimeout: testTimeouts[name],
        pool: 'forks' as const,
      },
    });
    const vitest = await createVitest({
      config: false,
      root,
      watch: false,
      maxWorkers: 1,
      // A cached module would stand in for a mutant.
      fsModuleCache: false,
      reporters: [{}],
      onConsoleLog: () => false,
      sequence: { sequencer: KeepOrder },
      projects: [
        project('unit', [unitTests], ['test/support/resources/leaks.ts']),
        project('simulation', simulations, []),
      ],
    });
    await vitest.standalone();
    return new WarmVitest(vitest, texts);
  }

  /** Returns all test files of both judges. */
  async files(): Promise<readonly Selection[]> {
    const specifications = await this.#vitest.globTestSpecifications();
    return specifications.map(({ project, moduleId }) => ({
      judge: project.name === 'unit' ? 'unit' : 'simulation',
      path: moduleId.slice(root.length + 1),
    }));
  }

  /** Lets a file of `src` have this text in later runs, or its own again. */
  replace(path: string, text: string | undefined): void {
    const id = join(root, path);
    if (text === undefined) this.#texts.delete(id);
    else this.#texts.set(id, text);
    this.#vitest.invalidateFile(id);
  }

  /** Runs the tests in this order. */
  async run(selections: readonly Selection[], { bail, maxProcessorMs, regions }: RunOptions): Promise<TestRun> {
    for (const project of this.#vitest.projects) {
      project.config.bail = bail ? 1 : 0;
      // Without a mutant nothing waits for ever, however busy the machine is.
      project.config.testTimeout = testTimeouts[project.name === 'unit' && bail ? 'unit' : 'simulation'];
      project.provide('regions', regions);
      project.provide('maxProcessorMs', maxProcessorMs);
    }
    this.#vitest.config.bail = bail ? 1 : 0;
    this.#vitest.state.filesMap.clear();
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications(
      selections.map((selection) => this.#specificationOf(selection)),
    );
    const failure = failuresOf(testModules)[0] ?? unhandledErrors.map(messageOf)[0];
    return { modules: testModules, failure, timedOut: /timed out|forks emitted error/i.test(failure ?? '') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#vitest.close();
  }

  #specificationOf({ judge, path }: Selection): TestSpecification {
    const project = this.#vitest.projects.find(({ name }) => name === judge);
    if (project === undefined) throw new Error(`there is no project ${judge}`);
    return project.createSpecification(join(root, path));
  }
}

function failuresOf(modules: readonly TestModule[]): readonly string[] {
  return modules.flatMap((module) => [
    ...module.errors().map(messageOf),
    ...[...module.children.allTests('failed')].map(
      (test) => `${test.fullName}: ${messageOf(test.result().errors?.[0])}`,
    ),
  ]);
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

class KeepOrder {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}
