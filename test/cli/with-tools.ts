import { PassThrough, Readable } from 'node:stream';
import { openTerminal } from '../../src/cli/terminal/terminal.ts';
import { withKafka, type KafkaTools } from '../../src/cli/with-kafka.ts';
import type { Environment } from '../../src/settings.ts';

/** Runs a part of a command with the Kafka tools that commands have. They read the environment of the process. */
export async function withTools<Result>(
  environment: Environment,
  run: (tools: KafkaTools, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const stderr = new PassThrough();
  const terminal = openTerminal(stop, { stdin: Readable.from([]), stdout: new PassThrough().resume(), stderr }, false);
  const needs = { span: { since: undefined, until: undefined }, topicsOf: () => [] };
  const results: Result[] = [];
  const { env } = process;
  process.env = { PATH: env['PATH'], ...environment };
  try {
    await withKafka(terminal, needs, async (tools) => {
      results.push(await run(tools, stop.signal));
      return 0;
    });
  } finally {
    process.env = env;
  }
  const [result] = results;
  if (result === undefined) throw new Error(`the command failed: ${String(stderr.read())}`);
  return result;
}
