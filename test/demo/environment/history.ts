import type { Environment } from '../../../src/settings.ts';
import { Program } from './program.ts';

/** The example consumer of the results topic, in a process of its own. */
export interface History extends AsyncDisposable {
  /** The notices for the owners of webhooks that it has printed so far. */
  readonly notices: readonly string[];
}

/** Starts the example, which keeps its database at that path. */
export function startHistory({ KAFKA_BROKERS, KAFKA_GROUP_ID, RESULTS_TOPIC }: Environment, database: string): History {
  const notices: string[] = [];
  const program = new Program({
    script: 'docs/examples/history.mjs',
    args: [],
    environment: { KAFKA_BROKERS, RESULTS_TOPIC, GROUP_ID: `${KAFKA_GROUP_ID}.notices`, DATABASE: database },
    onLine: (line) => void notices.push(line),
  });
  return { notices, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}
