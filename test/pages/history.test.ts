import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import type { CircuitState } from '../../src/deliveries/gates/circuit.ts';
import { root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics, uniqueName } from '../support/kafka/topics.ts';
import { longTimeouts, startPlatform } from '../support/service/platform.ts';
import { runService } from '../support/service/service-under-test.ts';
import { aSubscriber } from '../support/service/subscriber.ts';
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
  await using platform = await startPlatform({
    delays: ['200ms', '300ms', '400ms', '500ms', '600ms'],
    results: true,
    environment: { ...longTimeouts, CIRCUIT_FAILURES: '3', CIRCUIT_COOLDOWN: '200ms' },
  });
  await using example = await startHistory({
    KAFKA_BROKERS: String(platform.environment['KAFKA_BROKERS']),
    RESULTS_TOPIC: platform.topics.results,
    GROUP_ID: `${platform.topics.results}.history`,
  });
  const breaks = aSubscriber(platform, { answers: [200, 503, 503, 503, 503, 200] });
  const works = aSubscriber(platform);
  await platform.configure(breaks.configuration(), works.configuration());
  await using service = await runService(platform.environment);
  {
    await using _consumer = await example.start();
    await platform.complete(...works.certificates(3), breaks.certificate({ _id: 'first' }));
    await service.logged('delivery.attempted', 1, { configurationId: breaks.webhookId, outcome: 'delivered' });
    const { ownerId } = breaks;
    const since = Date.now();
    await platform.complete(...['second', 'third'].map((_id) => breaks.certificate({ _id })));
    const [fails = ''] = await example.lines.first(1, 30_000);
    const found = /^(?<id>\S+): your endpoint fails since (?<since>\S+), 3 times in a row$/.exec(fails)?.groups ?? {};
    expect(found['id']).toBe(breaks.webhookId);
    expect(Date.parse(found['since'] ?? '')).toBeGreaterThanOrEqual(since);
    await service.logged('delivery.attempted', 3, { ownerId, outcome: 'delivered' });
    const [, again = ''] = await example.lines.first(2, 30_000);
    expect(again).toMatch(/: your endpoint works again since \S+; it had failed since \S+$/);
    expect(again).toContain(`${breaks.webhookId}: `);
    expect(again).toContain(`it had failed since ${found['since']}`);
  }
  {
    // After a restart it goes on behind what it has read, and prints nothing twice.
    await using _consumer = await example.start();
    await platform.complete(breaks.certificate({ _id: 'last' }));
    await service.logged('delivery.attempted', 4, { ownerId: breaks.ownerId, outcome: 'delivered' });
    await eventually('the last delivery is in the history', async () => {
      return (await example.historyOf(breaks.webhookId)).at(-1)?.includes('last') === true;
    });
    const history = await example.historyOf(breaks.webhookId);
    const attempts = history.filter((line) => line.includes('delivery.attempted'));
    const outcomes = attempts.map((line) => / (?<status>\d{3}) → /.exec(line)?.groups?.['status']);
    expect(outcomes).toEqual(['200', '503', '503', '503', '503', '200', '200', '200'].slice(0, outcomes.length));
    expect(outcomes).toHaveLength(breaks.requests.length);
    expect(await example.historyOf(works.webhookId)).toHaveLength(3);
  }
  expect(example.lines.soFar).toHaveLength(2);
});

it('the example consumer does not take a circuit that closes for an endpoint that works', async () => {
  const client = quietClient(inject('kafka'));
  const topic = uniqueName('results');
  await createTopics(client, [{ topic }]);
  const environment = { KAFKA_BROKERS: inject('kafka').join(), RESULTS_TOPIC: topic, GROUP_ID: `${topic}.history` };
  await using example = await startHistory(environment);
  const changed = (configurationId: string, from: CircuitState, to: CircuitState): string =>
    JSON.stringify({
      type: 'endpoint.changed',
      at: '2026-11-27T10:00:00.000Z',
      configurationId,
      from,
      to,
      failures: 3,
    });
  const changes = [changed('a', 'closed', 'open'), changed('a', 'open', 'closed'), changed('b', 'closed', 'open')];
  await produce(
    client,
    topic,
    changes.map((value) => ({ value })),
  );
  await using _consumer = await example.start();
  const lines = await example.lines.first(2, 30_000);
  expect(lines.map((line) => line.slice(0, 22))).toEqual(['a: your endpoint fails', 'b: your endpoint fails']);
});
