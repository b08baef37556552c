import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import type { CircuitState } from '../../src/flow/circuit.ts';
import { root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics, uniqueName } from '../support/kafka/topics.ts';
import { Arrivals } from '../support/time/arrivals.ts';
import { eventually } from '../support/time/eventually.ts';

/** The example consumer in a folder of its own, with kafkajs beside it. */
async function startHistory(environment: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack();
  const files = stack.use(await writeTemporaryFiles({}));
  const script = files.path('history.mjs');
  await cp(join(root, 'docs/examples/history.mjs'), script);
  await symlink(join(root, 'node_modules'), files.path('node_modules'));
  const env = { ...environment, DATABASE: files.path('history.db') };
  const lines = new Arrivals<string>('line of the example');
  const start = async (): Promise<AsyncDisposable> => {
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trimEnd().split('\n')) lines.add(line);
    });
    return {
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
      },
    };
  };
  const owned = stack.move();
  return {
    lines,
    start,
    historyOf: async (webhookId: string): Promise<readonly string[]> => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, webhookId], { env });
      return stdout.trimEnd().split('\n');
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

it('the example consumer says that an endpoint fails, that it works again, and what its history is', async () => {
  const client = quietClient(inject('kafka'));
  const topic = uniqueName('results');
  await createTopics(client, [{ topic }]);
  const environment = { KAFKA_BROKERS: inject('kafka').join(), RESULTS_TOPIC: topic, GROUP_ID: `${topic}.history` };
  await using example = await startHistory(environment);
  const at = (second: number): string => `2026-11-27T10:00:0${second}.000Z`;
  const attempted = (configurationId: string, second: number, status: number) => ({
    type: 'delivery.attempted',
    at: at(second),
    configurationId,
    deliveryId: `certificates/0/${second}/${configurationId}`,
    certificateId: `of ${second}`,
    attempt: 1,
    outcome: status === 200 ? 'delivered' : 'http_error',
    status,
    settlement: status === 200 ? 'done' : 'retry',
  });
  const changed = (configurationId: string, second: number, from: CircuitState, to: CircuitState) => ({
    type: 'endpoint.changed',
    at: at(second),
    configurationId,
    from,
    to,
    failures: 3,
    since: at(1),
  });
  const write = (...results: readonly object[]) =>
    produce(
      client,
      topic,
      results.map((result) => ({ value: JSON.stringify(result) })),
    );
  {
    await using _consumer = await example.start();
    await write(attempted('a', 1, 503), changed('a', 2, 'closed', 'open'), changed('a', 3, 'open', 'closed'));
    await write(attempted('b', 4, 200), attempted('a', 5, 200), changed('b', 6, 'closed', 'open'));
    expect(await example.lines.first(3, 30_000)).toEqual([
      `a: your endpoint fails since ${at(1)}, 3 times in a row`,
      `a: your endpoint works again since ${at(5)}; it had failed since ${at(1)}`,
      `b: your endpoint fails since ${at(1)}, 3 times in a row`,
    ]);
  }
  // After a restart it goes on behind what it has read, and prints nothing twice.
  await using _consumer = await example.start();
  await write(attempted('a', 7, 200));
  await eventually('the last delivery is in the history', async () =>
    (await example.historyOf('a')).some((line) => line.includes('of 7')),
  );
  const outcomes = (await example.historyOf('a')).map((line) => / (?<status>\d{3}) → /.exec(line)?.groups?.['status']);
  expect(outcomes).toEqual(['503', '200', '200']);
  expect(await example.historyOf('b')).toHaveLength(1);
  expect(example.lines.soFar).toHaveLength(3);
});
