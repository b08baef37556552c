import type { TestProject } from 'vitest/node';
import type { Lack } from '../programs/missing-programs.ts';
import { memoryLines } from './cluster/kafka-lacks.ts';
import { stepText } from './cluster/progress.ts';
import { startKafka } from './cluster/start-kafka.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the broker that all test files of a run share. */
    readonly kafka: readonly string[];
    /** The missing programs for which the memory broker stands in. None with a real Kafka. */
    readonly kafkaLacks: readonly Lack[];
  }
}

/**
 * Starts Kafka once for all projects of a run, in the main process: a broker ends with the thread that started it, and
 * workers are short-lived. Projects are prepared one after the other, and end in the reverse order.
 */
export async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  const all = vitest.getRootProject();
  if ('kafka' in all.getProvidedContext()) return () => Promise.resolve();
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const kafka = await startKafka({ progress: (step) => print(stepText[step]), orMemory: true });
  const { brokers, lacks = [] } = kafka;
  if (lacks.length > 0) memoryLines(lacks).forEach(print);
  all.provide('kafka', brokers);
  all.provide('kafkaLacks', lacks);
  return async () => kafka[Symbol.asyncDispose]();
}
