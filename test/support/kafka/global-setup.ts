import type { TestProject } from 'vitest/node';
import { stepText } from './cluster/progress.ts';
import { startKafka } from './cluster/start-kafka.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the broker that all test files of a run share. */
    readonly kafka: readonly string[];
  }
}

/** Starts Kafka once, in the main process. A broker ends with the thread that started it, and workers are short-lived. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kafka = await startKafka({ progress: (step) => void process.stderr.write(`${stepText[step]}\n`) });
  project.provide('kafka', kafka.brokers);
  return async () => kafka[Symbol.asyncDispose]();
}
