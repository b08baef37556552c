import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import type { AdminServer, AdminServerEvents } from '../../../src/telemetry/admin/admin-server.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { AdminClient, anAdminServer, requestOf } from '../support/admin-server.ts';

type Closed = Parameters<AdminServerEvents['adminConnectionClosed']>[0];

/** Records the connections that were closed at a limit. */
function recorder(): { readonly closed: readonly Closed[]; readonly events: AdminServerEvents } {
  const closed: Closed[] = [];
  const adminFailed = ({ error }: { readonly error: unknown }): never => {
    throw error;
  };
  return { closed, events: { adminFailed, adminConnectionClosed: (one) => void closed.push(one) } };
}

interface Clients {
  readonly count: number;
  /** The addresses, of which each is used as often as the others. */
  readonly from: readonly string[];
  readonly stack: DisposableStack;
}

/** Opens connections one after the other, so that the server accepts them in this order. */
async function connectMany(server: AdminServer, { count, from, stack }: Clients): Promise<readonly AdminClient[]> {
  const clients: AdminClient[] = [];
  for (let index = 0; index < count; index += 1) {
    const localAddress = from[index % from.length] ?? '';
    const client = stack.use(new AdminClient(server, { localAddress }));
    await once(client.socket, 'connect');
    clients.push(client);
  }
  return clients;
}

async function isAnswered(server: AdminServer, path = '/livez'): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: 'close' } });
  await response.text();
  return response.status;
}

const fiveAddresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
const fourAddresses = fiveAddresses.slice(0, 4);

describe('a probe is answered', () => {
  it('while a hundred requests come a byte at a time', async () => {
    await using server = await anAdminServer();
    using stack = new DisposableStack();
    const clients = await connectMany(server, { count: 100, from: fiveAddresses, stack });
    for (const { socket } of clients) socket.write('GET /livez HTTP/1.1\r\nX-Slow: ');
    for (const { socket } of clients) if (socket.writable) socket.write('.');
    expect(await isAnswered(server)).toBe(200);
  });

  it('while one address opens one connection after the other', async () => {
    await using server = await anAdminServer();
    using stack = new DisposableStack();
    const scraper = stack.use(new AdminClient(server));
    expect(await scraper.request('/readyz')).toMatch(/^HTTP\/1\.1 200 /);
    await connectMany(server, { count: 200, from: ['127.0.0.2'], stack });
    expect(await scraper.request('/readyz')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await isAnswered(server)).toBe(200);
  });
});

describe('the connection that has waited longest is closed', () => {
  it('when there are 64 and one more comes', async () => {
    const { closed, events } = recorder();
    await using server = await anAdminServer({ events });
    using stack = new DisposableStack();
    const clients = await connectMany(server, { count: 64, from: fourAddresses, stack });
    // Its answer makes the first one wait since now.
    await clients[0]?.request('/livez');
    expect(closed).toEqual([]);
    await connectMany(server, { count: 1, from: ['127.0.0.6'], stack });
    await clients[1]?.closed;
    expect(closed).toEqual([{ limit: 'connections', address: '127.0.0.3' }]);
    expect(clients.filter(({ isOpen }) => !isOpen)).toEqual([clients[1]]);
    expect(await clients[0]?.request('/livez')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it('a probe is answered while every connection waits for its answer', async () => {
  const { closed, events } = recorder();
  const { promise: rendered, resolve: finish } = Promise.withResolvers<string>();
  const render = async (): Promise<string> => rendered;
  await using server = await anAdminServer({ events, metrics: { render } });
  using stack = new DisposableStack();
  const clients = await connectMany(server, { count: 16, from: ['127.0.0.1'], stack });
  const [first, ...others] = clients.map(async (client) => client.request('/metrics'));
  first?.catch(() => undefined);
  // Once this is answered, the requests before it have arrived.
  await stack.use(new AdminClient(server, { localAddress: '127.0.0.2' })).request('/livez');
  expect(await isAnswered(server)).toBe(200);
  expect(await clients[0]?.closed).toBe('');
  finish('late\n');
  expect((await Promise.all(others)).filter((answer) => !answer.startsWith('HTTP/1.1 200 '))).toEqual([]);
  expect(closed).toEqual([{ limit: 'connections_per_address', address: '127.0.0.1' }]);
});

it('answers that take long are computed one at a time, in a fifth of the time at most', async () => {
  const clock = new ManualClock();
  let renders = 0;
  const render = async (): Promise<string> => {
    await clock.advance(10);
    renders += 1;
    return 'text\n';
  };
  await using server = await anAdminServer({ clock, metrics: { render } });
  using stack = new DisposableStack();
  const clients = await connectMany(server, { count: 3, from: ['127.0.0.1'], stack });
  const answers = clients.map(async (client) => client.request('/metrics'));
  await answers[0];
  await vi.waitUntil(() => clock.pending === 1);
  await clock.advance(39);
  expect([renders, await isAnswered(server), await isAnswered(server, '/readyz')]).toEqual([1, 200, 200]);
  await clock.advance(1);
  await answers[1];
  expect(renders).toBe(2);
  await vi.waitUntil(() => clock.pending === 1);
  await clock.advance(40);
  await answers[2];
  expect(clock.monotonic()).toBe(110);
});

describe('a client is disconnected', () => {
  it('when its head is not complete after three seconds', async () => {
    const { closed, events } = recorder();
    await using server = await anAdminServer({ events });
    using client = new AdminClient(server);
    client.socket.write('GET /livez HTTP/1.1\r\nX-Slow: ');
    expect(await client.closed).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    expect(closed).toEqual([{ limit: 'request_time', address: '127.0.0.1' }]);
  });

  it('when its head is longer than 16 KiB', async () => {
    const { closed, events } = recorder();
    await using server = await anAdminServer({ events });
    using client = new AdminClient(server);
    client.socket.write(`GET /livez HTTP/1.1\r\nX-Long: ${'x'.repeat(16_384)}`);
    expect(await client.closed).toMatch(/^HTTP\/1\.1 431 /);
    expect(closed).toEqual([{ limit: 'head_bytes', address: '127.0.0.1' }]);
  });

  it('when it sends a request before the last one is answered', async () => {
    const { closed, events } = recorder();
    let renders = 0;
    const render = async (): Promise<string> => {
      renders += 1;
      return Promise.resolve('');
    };
    await using server = await anAdminServer({ events, metrics: { render } });
    using client = new AdminClient(server);
    client.socket.write(requestOf('/metrics').repeat(1000));
    await client.closed;
    expect([closed, renders]).toEqual([[{ limit: 'requests_per_connection', address: '127.0.0.1' }], 0]);
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all = []) => all.some(({ address }) => address === '::1'));

describe.skipIf(!hasIpv6)('on ::', () => {
  it('an IPv4 address counts as itself, and not with others', async () => {
    const { closed, events } = recorder();
    await using server = await anAdminServer({ host: '::', events });
    using stack = new DisposableStack();
    const first = stack.use(new AdminClient(server, { host: '::1' }));
    await once(first.socket, 'connect');
    await connectMany(server, { count: 16, from: ['127.0.0.3'], stack });
    await connectMany(server, { count: 17, from: ['127.0.0.2'], stack });
    expect(await isAnswered(server)).toBe(200);
    expect(closed).toEqual([{ limit: 'connections_per_address', address: '127.0.0.2' }]);
    expect(first.isOpen).toBe(true);
  });
});
