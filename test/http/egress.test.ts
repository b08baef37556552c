import { describe, expect, it } from 'vitest';
import { classify } from '../../src/http/classify.ts';
import { createConnector } from '../../src/http/connector.ts';
import { BlockedError } from '../../src/http/request-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { closing } from '../support/endpoints/answers.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { startListener } from '../support/endpoints/listeners.ts';
import { ClientUnderTest, delivered, dialTlsOfTests, directRoute, identity, startPair } from './client-under-test.ts';
import { startDnsServer } from './dns/dns-server.ts';

describe('no connection is opened to', () => {
  it.each([
    ['a literal address', '127.0.0.1'],
    ['one in another notation', '0x7f.1'],
    ['an IPv6 one', '[::1]'],
    ['an IPv4 one in an IPv6 one', '[::ffff:127.0.0.1]'],
    ['the metadata service', '169.254.169.254'],
  ])('%s that is not public', async (_title, written) => {
    await using listener = await startListener();
    await using client = new ClientUnderTest({ allowedNetworks: [] });
    const { hostname } = new URL(`https://${written}/`);
    const outcome = await client.outcome({ port: listener.port, host: hostname });
    expect(outcome).toEqual({ kind: 'blocked', message: expect.stringMatching(/^the address is not public but /) });
    expect(listener.connectionsOpened).toBe(0);
  });

  it.each([[['127.0.0.1']], [['10.0.0.1', '::1']], [['::ffff:7f00:1']]])(
    'the addresses %j of a name',
    async (addresses) => {
      await using listener = await startListener();
      await using client = new ClientUnderTest({ allowedNetworks: [], resolve: resolvingTo(addresses) });
      expect(await client.outcome({ port: listener.port })).toMatchObject({ kind: 'blocked' });
      expect(listener.connectionsOpened).toBe(0);
    },
  );

  it('a port that is not allowed, and no name is looked up', async () => {
    await using listener = await startListener();
    await using client = new ClientUnderTest({
      allowedPorts: [{ first: 443, last: 443 }],
      resolve: () => Promise.reject(new Error('no lookup is expected')),
    });
    const outcome = await client.outcome({ port: listener.port });
    expect(outcome).toEqual({ kind: 'blocked', message: `port ${listener.port} is not allowed` });
    expect(listener.connectionsOpened).toBe(0);
  });

  it('a name without an address', async () => {
    await using client = new ClientUnderTest({ resolve: resolvingTo([]) });
    expect(await client.outcome({ port: 443 })).toMatchObject({ kind: 'blocked' });
  });
});

describe('for a name with several addresses', () => {
  it('the allowed ones are tried', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using client = new ClientUnderTest({
      allowedNetworks: ['127.0.0.1/32'],
      resolve: resolvingTo(['127.0.0.2', '::1', '127.0.0.1']),
    });
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  });

  it.each([[['127.0.0.1', '127.0.0.2']], [['127.0.0.2', '127.0.0.1']]])(
    'one that is not allowed is never tried, although the other one refuses: %j',
    async (addresses) => {
      await using endpoint = await startEndpoint({ identity });
      await using client = new ClientUnderTest({ allowedNetworks: ['127.0.0.2/32'], resolve: resolvingTo(addresses) });
      expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: 'connect_error' });
      expect(endpoint.connectionsOpened).toBe(0);
    },
  );

  it('the next is tried when one refuses', async () => {
    await using client = await startPair({ resolve: resolvingTo(['127.0.0.3', '127.0.0.2', '127.0.0.1']) });
    expect(await client.outcome()).toEqual(delivered);
  });

  it('the allowed ones are waited for when the name server is late with them', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using client = new ClientUnderTest({
      allowedNetworks: ['127.0.0.1/32'],
      resolve: async (_name, onPartial) => {
        onPartial?.(Promise.resolve(['::1', '127.0.0.1']));
        return ['::1'];
      },
    });
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  });

  it('the outcome is connect_error when all refuse', async () => {
    await using client = await startPair({ resolve: resolvingTo(['127.0.0.3', '127.0.0.2']) });
    expect(await client.outcome()).toMatchObject({ kind: 'connect_error' });
    expect(client.endpoint.connectionsOpened).toBe(0);
  });
});

it('the only allowed one of 17 addresses is tried, wherever it stands in the answer of the name server', async () => {
  const refused = Array.from({ length: 16 }, (_, index) => `10.0.0.${index}`);
  await using endpoint = await startEndpoint({ identity, answers: [closing(200), closing(200)] });
  await using server = await startDnsServer({
    'a.test': { a: [...refused, '127.0.0.1'] },
    'b.test': { a: ['127.0.0.1', ...refused] },
    'c.test': { a: [...refused, '127.0.0.2'] },
  });
  await using client = new ClientUnderTest({
    allowedNetworks: ['127.0.0.1/32'],
    resolve: undefined,
    findServers: () => [server.address],
  });
  const outcome = (host: string): Promise<unknown> => client.outcome({ port: endpoint.port, host });
  expect(await outcome('a.test')).toEqual(delivered);
  expect(await outcome('b.test')).toEqual(delivered);
  expect(await outcome('c.test')).toMatchObject({ kind: 'blocked', message: expect.stringContaining('private use') });
  expect(client.addressesDropped).toBe(3);
});

it('search domains are tried if there are allowed networks, because no public name needs them', async () => {
  await using folder = await writeTemporaryFiles({ 'resolv.conf': 'search cluster.local\n' });
  await using endpoint = await startEndpoint({ identity });
  await using server = await startDnsServer({ 'a.test.cluster.local': { a: ['127.0.0.1'] } });
  const options = { resolve: undefined, findServers: () => [server.address], searchFile: folder.path('resolv.conf') };
  await using inside = new ClientUnderTest(options);
  expect(await inside.outcome({ port: endpoint.port })).toEqual(delivered);
  await using outside = new ClientUnderTest({ ...options, allowedNetworks: [] });
  expect(await outside.outcome({ port: endpoint.port })).toMatchObject({ kind: 'dns_error' });
});

it('the address of an established connection is checked again', async () => {
  await using endpoint = await startEndpoint({ identity });
  const verdicts = [undefined, 'the address is not public'];
  const route = directRoute({ policy: { refusePort: () => undefined, refuseAddress: () => verdicts.shift() } });
  const options = { signal: new AbortController().signal, onPhase: () => undefined };
  await expect(route({ host: 'a.test', port: endpoint.port }, options)).rejects.toThrow(BlockedError);
  expect(verdicts).toEqual([]);
});

it('a connection that was closed right after its handshake is not blocked by the policy', async () => {
  await using endpoint = await startEndpoint({ identity });
  const connect = createConnector({
    connectTimeoutMs: 60_000,
    clock: systemClock,
    route: directRoute({
      dialTls: async (dial) => {
        const connection = await dialTlsOfTests(dial);
        connection.socket.destroy();
        return connection;
      },
    }),
  });
  const connecting = connect({ host: 'a.test', port: endpoint.port }, new AbortController());
  const error: unknown = await connecting.catch((reason: unknown) => reason);
  expect(classify(error)).toEqual({
    kind: 'connect_error',
    message: 'the connection was closed right after the TLS handshake',
  });
});

it('the addresses of a name are checked for each connection, so that DNS rebinding has no effect', async () => {
  await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
  const answers = [['127.0.0.1'], ['127.0.0.2', '10.0.0.1'], ['127.0.0.2', '127.0.0.1']];
  await using client = new ClientUnderTest({
    allowedNetworks: ['127.0.0.1/32'],
    resolve: () => Promise.resolve(answers.shift() ?? []),
  });
  expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: 'delivered' });
  await client.open(0);
  expect(await client.outcome({ port: endpoint.port })).toEqual({
    kind: 'blocked',
    message: 'the address is not public but a loopback address',
  });
  expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: 'delivered' });
  expect(endpoint.connectionsOpened).toBe(2);
});

function resolvingTo(addresses: readonly string[]): () => Promise<readonly string[]> {
  return () => Promise.resolve(addresses);
}
