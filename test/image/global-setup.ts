import type { TestProject } from 'vitest/node';
import { setup as startKafka } from '../support/kafka/global-setup.ts';
import type { EngineSearch } from './engines.ts';
import { findRunner, type Runner } from './runner.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What can run containers here. */
    readonly runner: EngineSearch<Runner>;
  }
}

/** Says so plainly when nothing here can run the image; Kafka is started only when something can. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runner = await findRunner();
  project.provide('runner', runner);
  if (runner.kind === 'found') return startKafka(project);
  process.stderr.write(`\nThe tests of the image are skipped: ${runner.reason}\n\n`);
  return () => Promise.resolve();
}
