import { PassThrough, Readable } from 'node:stream';
import type { RecordAnswer } from '../../../src/cli/explain/answers.ts';
import { explain } from '../../../src/cli/explain/explain.ts';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import { withKafka } from '../../../src/cli/with-kafka.ts';
import type { Environment } from '../../../src/settings.ts';

const everything = { ownerId: undefined, mayBeIn: () => true, isIn: () => true, isId: () => true };
const most = { records: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY };

/** Returns the answers of `explain` for all certificates. One run that looks for all of them reads each topic once. */
export async function explainAll(environment: Environment): Promise<readonly RecordAnswer[]> {
  const stop = new AbortController();
  const stderr = new PassThrough();
  const terminal = openTerminal(stop, { stdin: Readable.from([]), stdout: new PassThrough().resume(), stderr }, false);
  const span = { since: undefined, until: undefined };
  let explained: readonly RecordAnswer[] = [];
  const { env } = process;
  process.env = { PATH: env['PATH'], ...environment };
  try {
    const code = await withKafka(terminal, { span, topicsOf: () => [] }, async (tools) => {
      const { signal } = stop;
      ({ answers: explained } = await explain(tools, { wanted: everything, sinceMs: undefined, signal, most }));
      return 0;
    });
    if (code !== 0) throw new Error(`explain ended with ${code}: ${String(stderr.read())}`);
  } finally {
    process.env = env;
  }
  return explained;
}
