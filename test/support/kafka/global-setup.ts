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

/** Starts Kafka once, in the main process. A broker ends with the thread that started it, and workers are short-lived. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const kafka = await startKafka({ progress: (step) => print(stepText[step]), orMemory: true });
  const { brokers, lacks = [] } = kafka;
  if (lacks.length > 0) memoryLines(lacks).forEach(print);
  project.provide('kafka', brokers);
  project.provide('kafkaLacks', lacks);
  return async () => kafka[Symbol.asyncDispose]();
}
