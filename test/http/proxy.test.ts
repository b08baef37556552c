import { describe, expect, it, vi } from 'vitest';
import { parseProxy, proxyOrigin } from '../../src/http/proxy-route.ts';
import { Secret } from '../../src/lib/secret.ts';
import { closing, disconnect, hang } from '../support/endpoints/answers.ts';
import { createAuthority, expired } from '../support/tls/authority.ts';
import { startConnectProxy, type ConnectProxy } from '../support/endpoints/connect-proxy.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { startListener } from '../support/endpoints/listeners.ts';
import { authority, ClientUnderTest, delivered, hosts, identity, patience } from './client-under-test.ts';

const localError = (message: unknown) => ({ kind: 'local_error', message });

describe.each([
  ['a proxy', {}, 'http'],
  ['a proxy over TLS', { identity }, 'https'],
])('through %s', (_title, options, scheme) => {
  const through = (proxy: ConnectProxy, login = ''): ClientUnderTest =>
    clientThrough(`${scheme}://${login}127.0.0.1:${proxy.port}`);

  it('a request is delivered, and the proxy receives the name unchanged', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
    expect(await client.outcome({ port: endpoint.port, host: 'b.test.' })).toEqual(delivered);
    expect(proxy.targets).toEqual([`a.test:${endpoint.port}`, `b.test.:${endpoint.port}`]);
    expect(proxy.headers).toMatchObject({ host: `b.test.:${endpoint.port}` });
    expect(proxy.headers['proxy-authorization']).toBeUndefined();
    expect(endpoint.requests.map(({ tls }) => tls.serverName)).toEqual(['a.test', 'b.test']);
    expect(endpoint.requests[0]?.header('proxy-authorization')).toBeUndefined();
  });

  it.each([
    ['HTTP/1.0 200 OK\r\n\r\n'],
    ['HTTP/1.1 200 OK\n\n'],
    ['HTTP/1.1 200 OK\r\nVia: a,\r\n b\r\nX Y: z\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n'],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'],
  ])('a request is delivered when it answers %j', async (head) => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy({ ...options, head });
    await using client = through(proxy);
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  });

  it('a tunnel serves one request after the other', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    for (const _ of [1, 2, 3]) expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
    expect(proxy.targets).toHaveLength(1);
    expect(client.client.state()).toEqual({ open: 1, idle: 1 });
  });

  it('TLS sessions are resumed', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    for (const _ of [1, 2, 3]) {
      await client.outcome({ port: endpoint.port });
      await client.open(0);
    }
    expect(client.opened).toEqual([false, true, true]);
    await expect.poll(() => proxy.tunnelsOpen, patience).toBe(0);
  });

  it('the certificate of the endpoint is verified', async () => {
    await using endpoint = await startEndpoint({ identity: authority.issue({ names: hosts, ...expired() }) });
    await using elsewhere = await startEndpoint({ identity: authority.issue({ names: ['127.0.0.1', 'localhost'] }) });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    const late = { kind: 'tls_error', message: 'the certificate has expired' };
    expect(await client.outcome({ port: endpoint.port })).toEqual(late);
    const other = { kind: 'tls_error', message: 'the certificate is for another host' };
    expect(await client.outcome({ port: elsewhere.port })).toEqual(other);
    expect(await client.outcome({ port: elsewhere.port, host: '127.0.0.2' })).toEqual(other);
    expect(await client.outcome({ port: elsewhere.port, host: '127.0.0.1' })).toEqual(delivered);
    expect([...endpoint.requests, ...elsewhere.requests]).toHaveLength(1);
  });

  it('the credentials of the URL are sent to the proxy', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy({ ...options, credentials: 'us€r:p@ss:w%rd' });
    await using client = through(proxy, 'us%E2%82%ACr:p%40ss%3aw%25rd@');
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  });

  it('wrong or missing credentials make it local_error', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy({ ...options, credentials: 'user:password' });
    await using wrong = through(proxy, 'user:passw0rd@');
    expect(await wrong.outcome({ port: endpoint.port })).toEqual(
      localError('the proxy refuses our user name and password'),
    );
    await using anonymous = through(proxy);
    expect(await anonymous.outcome({ port: endpoint.port })).toEqual(
      localError('the proxy asks for a user name and a password'),
    );
    expect(endpoint.connectionsOpened).toBe(0);
  });

  it('a proxy that dies fails its requests, and an idle tunnel is replaced', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [hang(), 200] });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    const inFlight = client.send({ port: endpoint.port });
    await endpoint.received(1);
    proxy.closeTunnels();
    expect(await inFlight.outcome).toEqual({
      kind: 'connection_lost',
      message: 'the connection was closed before a response came',
    });
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
    await client.idle(1);
    proxy.closeTunnels();
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
    await client.open(1);
  });

  it('a tunnel that the endpoint closes is replaced within the attempt', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [200, disconnect(), 200] });
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    await client.outcome({ port: endpoint.port });
    await client.idle(1);
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
    expect(proxy.targets).toHaveLength(2);
  });

  it('a request that is aborted leaves no tunnel', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [hang()] });
    await using listener = await startListener();
    await using proxy = await startConnectProxy(options);
    await using client = through(proxy);
    const inFlight = [client.send({ port: endpoint.port }), client.send({ port: listener.port })];
    await endpoint.received(1);
    await vi.waitUntil(() => listener.connectionsOpened === 1, patience);
    for (const one of inFlight) one.abort();
    expect(await Promise.all(inFlight.map(({ outcome }) => outcome))).toEqual([
      { kind: 'draining' },
      { kind: 'draining' },
    ]);
    await expect.poll(() => proxy.tunnelsOpen, patience).toBe(0);
  });
});

describe('with a proxy, the policy still refuses', () => {
  it.each([
    ['a private address', '10.0.0.1'],
    ['this machine', '127.0.0.1'],
    ['the metadata service', '169.254.169.254'],
    ['an IPv4 address in an IPv6 one', '[::ffff:7f00:1]'],
  ])('%s', async (_title, host) => {
    await using proxy = await startConnectProxy();
    await using client = clientThrough(`http://127.0.0.1:${proxy.port}`, { allowedNetworks: [] });
    const outcome = await client.outcome({ port: 443, host });
    expect(outcome).toEqual({ kind: 'blocked', message: expect.stringMatching(/^the address is not public but /) });
    expect(proxy.targets).toEqual([]);
  });

  it('ports that are not allowed', async () => {
    await using proxy = await startConnectProxy();
    const allowedPorts = [{ first: 443, last: 443 }];
    await using client = clientThrough(`http://127.0.0.1:${proxy.port}`, { allowedPorts });
    expect(await client.outcome({ port: 22 })).toEqual({ kind: 'blocked', message: 'port 22 is not allowed' });
    expect(proxy.targets).toEqual([]);
  });
});

it('the proxy variables of other programs have no effect', async () => {
  await using endpoint = await startEndpoint({ identity });
  await using ignored = await startConnectProxy();
  await using proxy = await startConnectProxy();
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, `http://127.0.0.1:${ignored.port}`);
    vi.stubEnv(name.toLowerCase(), `http://127.0.0.1:${ignored.port}`);
  }
  vi.stubEnv('NO_PROXY', '*');
  try {
    await using direct = new ClientUnderTest();
    expect(await direct.outcome({ port: endpoint.port })).toEqual(delivered);
    await using client = clientThrough(`http://127.0.0.1:${proxy.port}`);
    expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(ignored.targets).toEqual([]);
  expect(proxy.targets).toHaveLength(1);
});

it('the URL is read for each connection, so that it may change', async () => {
  await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
  await using proxy = await startConnectProxy({ credentials: 'user:new' });
  const urls = ['user:old', 'user:new'].map((login) => new Secret(`http://${login}@127.0.0.1:${proxy.port}`));
  await using client = new ClientUnderTest({
    proxyUrl: () => Promise.resolve(urls.shift() ?? new Secret('http://nowhere')),
  });
  expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: 'local_error' });
  expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
});

it('the certificate of the proxy is verified', async () => {
  const unknownIdentity = createAuthority('Another authority').issue({ names: ['127.0.0.1'] });
  await using endpoint = await startEndpoint({ identity });
  await using proxy = await startConnectProxy({ identity: unknownIdentity });
  await using client = clientThrough(`https://user:password@127.0.0.1:${proxy.port}`);
  expect(await client.outcome({ port: endpoint.port })).toEqual(
    localError('the proxy could not be reached (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)'),
  );
  expect(proxy.targets).toEqual([]);
});

describe('the URL of a proxy', () => {
  it.each([
    ['http://proxy', { host: 'proxy', port: 80 }],
    ['https://proxy', { host: 'proxy', port: 443 }],
    ['http://proxy:3128', { host: 'proxy', port: 3128 }],
    ['http://[fd00::1]:3128', { host: 'fd00::1', port: 3128 }],
  ])('%s is parsed', (url, target) => {
    expect(parseProxy(new Secret(url))).toMatchObject({
      target,
      isSecure: url.startsWith('https'),
      authorization: undefined,
    });
  });

  it('is shown without its credentials', () => {
    expect(proxyOrigin(new Secret('http://user:hush@proxy:3128/'))).toBe('http://proxy:3128');
  });
});

function clientThrough(url: string, options: ConstructorParameters<typeof ClientUnderTest>[0] = {}): ClientUnderTest {
  const resolve = (): Promise<never> => Promise.reject(new Error('the proxy resolves names'));
  return new ClientUnderTest({ resolve, ...options, proxyUrl: () => Promise.resolve(new Secret(url)) });
}
