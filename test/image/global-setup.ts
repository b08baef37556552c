import type { TestProject } from 'vitest/node';
import { setup as startKafka } from '../support/kafka/global-setup.ts';
import type { Lack } from '../support/programs/missing-programs.ts';
import { findProgram } from '../support/programs/programs.ts';
import { lacksOfBase } from './base-image.ts';
import { findRunner, type Runner } from './runner.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly runner: RunnerSearch;
  }
}

/** An engine that runs containers here, or the programs without which the image cannot be tested. */
type RunnerSearch =
  { readonly kind: 'found'; readonly engine: Runner } | { readonly kind: 'none'; readonly lacks: readonly Lack[] };

/** Looks for an engine that runs containers, and starts Kafka only where there is one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const search = await findUsableRunner();
  project.provide('runner', search);
  return search.kind === 'found' ? startKafka(project) : () => Promise.resolve();
}

async function findUsableRunner(): Promise<RunnerSearch> {
  const search = await findRunner();
  if (search.kind === 'found') {
    const lacks = await lacksOfBase(search.engine);
    return lacks.length === 0 ? search : { kind: 'none', lacks };
  }
  const problem = search.problems['podman'];
  const isUnusable = findProgram('podman') !== undefined && problem !== undefined;
  return { kind: 'none', lacks: [{ program: 'podman', ...(isUnusable ? { problem } : {}) }] };
}
