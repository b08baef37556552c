import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as answers from '../support/endpoints/answers.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { passOn, startListener } from '../support/endpoints/listeners.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { ClientUnderTest, delivered, identity, patience } from './client-under-test.ts';

/** Accepts all connections, and serves one after the other, as a receiver with one thread does. */
async function startOneThread(port: number) {
  const backlog: Socket[] = [];
  let serving: Socket | undefined;
  const serveNext = (): void => {
    const socket = backlog.shift();
    serving = socket;
    if (socket === undefined) return;
    passOn(socket, port);
    socket.on('close', serveNext);
  };
  return startListener((socket) => {
    backlog.push(socket.pause());
    if (serving === undefined) serveNext();
  });
}

/** Sends as many requests at once. */
function atOnce(client: ClientUnderTest, port: number, count: number): Promise<readonly unknown[]> {
  return Promise.all(Array.from({ length: count }, () => client.outcome({ port })));
}

describe('a receiver with one thread', () => {
  it('gets sixteen requests at once over the one connection that it serves', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using thread = await startOneThread(endpoint.port);
    // No connection times out, because the clock stands still.
    await using client = new ClientUnderTest({ clock: new ManualClock() });
    expect(await atOnce(client, thread.port, 16)).toEqual(Array.from({ length: 16 }, () => delivered));
    expect(endpoint.requests.map(({ connection }) => connection)).toEqual(Array.from({ length: 16 }, () => 1));
    expect(thread.connectionsOpened).toBe(16);
  });

  it.each([
    ['stays open', answers.status(200), [1, 1, 1, 1]],
    // The receiver counts the two that had timed out, too.
    ['closes', answers.closing(200), [1, 1, 4, 4]],
  ])('is used over what works while new connections time out, if that one %s', async (_title, answer, connections) => {
    const clock = new ManualClock();
    using held = answers.held(answer);
    await using endpoint = await startEndpoint({ identity, answers: [200, held.answer, 200] });
    await using thread = await startOneThread(endpoint.port);
    await using client = new ClientUnderTest({ clock, timeoutMs: 15_000, connectTimeoutMs: 5000 });
    await client.outcome({ port: thread.port });
    await client.idle(1);
    const outcomes = atOnce(client, thread.port, 3);
    await endpoint.received(2);
    await expect.poll(() => thread.connectionsOpened, patience).toBe(3);
    await clock.advance(5000);
    expect(client.unanswered).toEqual(['silence', 'silence']);
    held.release();
    expect(await outcomes).toEqual([delivered, delivered, delivered]);
    expect(endpoint.requests.map(({ connection }) => connection)).toEqual(connections);
  });

  it('fails those that wait if its connection answers nothing', async () => {
    const clock = new ManualClock();
    await using endpoint = await startEndpoint({ identity, answers: [200, answers.hang()] });
    await using thread = await startOneThread(endpoint.port);
    await using client = new ClientUnderTest({ clock, timeoutMs: 15_000, connectTimeoutMs: 5000 });
    await client.outcome({ port: thread.port });
    await client.idle(1);
    const outcomes = atOnce(client, thread.port, 3);
    await endpoint.received(2);
    await expect.poll(() => thread.connectionsOpened, patience).toBe(3);
    await clock.advance(15_000);
    expect(await outcomes).toMatchObject(Array.from({ length: 3 }, () => ({ kind: 'timeout' })));
    await client.open(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a connection that opens after its request got another one', () => {
  /** Leads to a client with one connection that was used, and a surplus one that was not. */
  async function withSurplus(stack: AsyncDisposableStack, clock: ManualClock) {
    const held = stack.use(answers.held(answers.status(200)));
    const endpoint = stack.use(await startEndpoint({ identity, answers: [200, held.answer, 200] }));
    const later = Promise.withResolvers<undefined>();
    const listener = stack.use(
      await startListener((socket) => {
        const isFirst = listener.connectionsOpened === 1;
        socket.pause();
        void (isFirst ? Promise.resolve() : later.promise).then(() => passOn(socket, endpoint.port));
      }),
    );
    const client = stack.use(new ClientUnderTest({ clock }));
    const { port } = listener;
    await client.outcome({ port });
    await client.idle(1);
    const outcomes = atOnce(client, port, 2);
    await endpoint.received(2);
    held.release();
    expect(await outcomes).toEqual([delivered, delivered]);
    later.resolve(undefined);
    await client.idle(2);
    return { client, endpoint, port };
  }

  it('serves the next request', async () => {
    await using stack = new AsyncDisposableStack();
    const clock = new ManualClock();
    const { client, endpoint, port } = await withSurplus(stack, clock);
    expect(await client.outcome({ port })).toEqual(delivered);
    expect(endpoint.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 2]);
    expect(clock.pending).toBe(0);
  });

  it('is closed after 55 s, as one that was used', async () => {
    await using stack = new AsyncDisposableStack();
    const clock = new ManualClock();
    const { client } = await withSurplus(stack, clock);
    await clock.advance(54_999);
    expect(client.client.state().open).toBe(2);
    await clock.advance(1);
    await client.open(1);
  });

  it('is forgotten when the endpoint closes it', async () => {
    await using stack = new AsyncDisposableStack();
    const clock = new ManualClock();
    const { client, endpoint } = await withSurplus(stack, clock);
    endpoint.closeConnections();
    await client.open(0);
    expect(clock.pending).toBe(0);
  });
});
