import { describe, expect, it } from 'vitest';
import type { HttpClientOptions } from '../../src/http/http-client.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import { Secret } from '../../src/lib/secret.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { refuseTunnel, startConnectProxy, type ProxyAnswer } from '../support/endpoints/connect-proxy.ts';
import { reserveRefusingPort, speakPlainHttp, startListener } from '../support/endpoints/listeners.ts';
import { ClientUnderTest, patience } from './client-under-test.ts';

const says =
  (text: string): ProxyAnswer =>
  (socket) =>
    void socket.write(text);
const localError = (message: unknown) => ({ kind: 'local_error', message });

describe('a proxy that opens no tunnel', () => {
  it.each<[number, RequestOutcome['kind'], string]>([
    [400, 'local_error', 'the proxy opens no tunnel (HTTP_400)'],
    [401, 'local_error', 'the proxy opens no tunnel (HTTP_401)'],
    [403, 'blocked', 'the proxy refuses this endpoint (HTTP_403)'],
    [405, 'local_error', 'the proxy opens no tunnel (HTTP_405)'],
    [407, 'blocked', 'the proxy refuses this endpoint (HTTP_407)'],
    [429, 'local_error', 'the proxy opens no tunnel (HTTP_429)'],
    [451, 'blocked', 'the proxy refuses this endpoint (HTTP_451)'],
    [302, 'local_error', 'the proxy opens no tunnel (HTTP_302)'],
    [500, 'connect_error', 'the proxy could not reach the endpoint (HTTP_500)'],
    [501, 'local_error', 'the proxy opens no tunnel (HTTP_501)'],
    [502, 'connect_error', 'the proxy could not reach the endpoint (HTTP_502)'],
    [503, 'connect_error', 'the proxy could not reach the endpoint (HTTP_503)'],
    [504, 'timeout', 'the proxy did not reach the endpoint in time'],
  ])('and says %d makes it %s', async (code, kind, message) => {
    expect(await outcomeOf(refuseTunnel(code))).toEqual({ kind, message });
  });

  it('and keeps the connection open is disconnected', async () => {
    const outcome = await outcomeOf(says('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n'));
    expect(outcome).toEqual({ kind: 'blocked', message: 'the proxy refuses this endpoint (HTTP_403)' });
  });

  it.each<[string, ProxyAnswer, string]>([
    ['closes', (socket) => void socket.end(), 'the proxy closed the connection without an answer'],
    ['is disconnected', (socket) => void socket.destroy(), 'the proxy closed the connection without an answer'],
    ['talks nonsense', says('SSH-2.0-OpenSSH_9\r\n'), 'what the proxy answers is not HTTP/1.1'],
    [
      'has an endless head',
      says(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`),
      'what the proxy answers is not HTTP/1.1',
    ],
    ['speaks for the endpoint', says('HTTP/1.1 200 OK\r\n\r\nhello'), 'what the proxy answers is not HTTP/1.1'],
  ])('and %s makes it local_error', async (_title, answer, message) => {
    expect(await outcomeOf(answer)).toEqual({ kind: 'local_error', message });
  });

  it('and closes the tunnel before TLS is there makes it connect_error', async () => {
    const outcome = await outcomeOf((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => socket.destroy());
    });
    expect(outcome).toEqual({ kind: 'connect_error', message: 'the connection was closed during the TLS handshake' });
  });
});

describe('a proxy that hangs', () => {
  it.each([
    ['before its answer', 'the proxy did not reach the endpoint in time', ''],
    ['within its answer', 'the proxy did not reach the endpoint in time', 'HTTP/1.1 200 O'],
    ['within the TLS handshake', 'TLS was not established in time', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('%s makes it timeout, within the limit for a connection', async (_title, message, head) => {
    const clock = new ManualClock();
    const asked = Promise.withResolvers<void>();
    await using proxy = await startConnectProxy({
      answer: (socket) => {
        socket.write(head);
        // With a tunnel, what comes next is TLS.
        if (head.endsWith('\r\n\r\n')) socket.once('data', () => asked.resolve());
        else asked.resolve();
      },
    });
    await using client = clientThrough(`http://127.0.0.1:${proxy.port}`, { clock, connectTimeoutMs: 1000 });
    const { outcome } = client.send({ port: 443 });
    await asked.promise;
    await clock.advance(1000);
    expect(await outcome).toEqual({ kind: 'timeout', message });
    expect(clock.pending).toBe(0);
    await expect.poll(() => proxy.connectionsOpen, patience).toBe(0);
  });

  it('before its own TLS handshake makes it local_error', async () => {
    const clock = new ManualClock();
    const greeted = Promise.withResolvers<void>();
    await using listener = await startListener((socket) => socket.once('data', () => greeted.resolve()));
    await using client = clientThrough(`https://127.0.0.1:${listener.port}`, { clock, connectTimeoutMs: 1000 });
    const { outcome } = client.send({ port: 443 });
    await greeted.promise;
    await clock.advance(1000);
    expect(await outcome).toEqual(localError('the proxy was not reached in time'));
    expect(clock.pending).toBe(0);
  });
});

describe('a proxy is unavailable, which makes it local_error, when', () => {
  it('connections are refused', async () => {
    await using refusing = await reserveRefusingPort();
    await using client = clientThrough(`http://127.0.0.1:${refusing.port}`);
    expect(await client.outcome({ port: 443 })).toEqual(localError('the proxy could not be reached (ECONNREFUSED)'));
  });

  it('TLS is expected and not offered', async () => {
    await using listener = await startListener(speakPlainHttp);
    await using client = clientThrough(`https://127.0.0.1:${listener.port}`);
    expect(await client.outcome({ port: 443 })).toEqual(
      localError(expect.stringMatching(/^the proxy could not be reached \(ERR_SSL_.*\)$/)),
    );
  });

  // Resolvers answer themselves that the name does not exist (RFC 6761, 6.4), with or without a name server.
  it('the name does not exist', async () => {
    await using client = clientThrough('http://proxy.invalid:3128');
    expect(await client.outcome({ port: 443 })).toEqual(
      localError(expect.stringMatching(/^the name of the proxy could not be resolved \(E\w+\)$/)),
    );
  });

  it('its URL can not be read', async () => {
    await using client = new ClientUnderTest({ proxyUrl: () => Promise.reject(new Error('http://user:hush@proxy')) });
    expect(await client.outcome({ port: 443 })).toEqual(localError('the proxy could not be reached (Error)'));
  });
});

async function outcomeOf(answer: ProxyAnswer): Promise<RequestOutcome> {
  await using proxy = await startConnectProxy({ answer });
  await using client = clientThrough(`http://user:hush@127.0.0.1:${proxy.port}`);
  const outcome = await client.outcome({ port: 443 });
  await expect.poll(() => proxy.connectionsOpen, patience).toBe(0);
  return outcome;
}

function clientThrough(url: string, options: Partial<HttpClientOptions> = {}): ClientUnderTest {
  return new ClientUnderTest({ ...options, proxyUrl: () => Promise.resolve(new Secret(url)) });
}
