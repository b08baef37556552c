import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as answers from '../support/endpoints/answers.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { passOn, startListener, startTlsListener } from '../support/endpoints/listeners.ts';
import { refusedResponses, toleratedResponses } from '../support/endpoints/odd-responses.ts';
import { ClientUnderTest, delivered, identity, startPair } from './client-under-test.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
/** Answers with these bytes and closes the connection. */
function last(raw: string): answers.Answer {
  return ({ tls }) => void tls.end(Buffer.from(raw, 'latin1'));
}

describe('the head decides the outcome, and the connection is not reused, when', () => {
  it.each([
    ['the server speaks HTTP/1.0', last('HTTP/1.0 200 OK\r\n\r\ntext')],
    ['the body ends with the connection', last(`${ok}\r\ntext`)],
    ['the body is shorter than its length', last(`${ok}Content-Length: 9\r\n\r\ntext`)],
    ['a chunk has no size', answers.bytes(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)],
    ['a chunk has too large a size', answers.bytes(`${ok}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`)],
    ['a chunk is longer than its size', answers.bytes(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n`)],
    ['the last chunk is missing', last(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`)],
    [
      'the trailers have no end',
      answers.bytes(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(10_000)}`),
    ],
    ['a second response comes with the first', answers.bytes(`${ok}Content-Length: 0\r\n\r\n`.repeat(2))],
    ['the body is longer than its length', answers.bytes(`${ok}Content-Length: 1\r\n\r\nabc`)],
  ])('%s', async (_title, answer) => {
    await using client = await startPair({ answers: [answer, 200] });
    expect(await client.outcome()).toEqual(delivered);
    await client.open(0);
    expect(await client.outcome()).toEqual(delivered);
    expect(client.endpoint.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

describe('the status decides the outcome, and no other response is read from the connection, when', () => {
  it.each(toleratedResponses.flatMap(({ heads }) => Object.entries(heads)))('%s', async (_title, raw) => {
    // The second response would be taken for that of the next request.
    const tricky = answers.bytes(`${raw}HTTP/1.1 500 Not Yours\r\nContent-Length: 0\r\n\r\n`);
    await using client = await startPair({ answers: [200, tricky, 200] });
    for (const connections of [1, 0, 1]) {
      expect(await client.outcome()).toEqual(delivered);
      await client.open(connections);
    }
    expect(client.endpoint.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });
});

describe('there is no usable response when', () => {
  it.each(
    refusedResponses.flatMap(({ heads, message }) =>
      Object.entries(heads).map(([title, raw]) => [title, raw, message] as const),
    ),
  )('%s', async (_title, raw, message) => {
    await using client = await startPair({ answers: [last(raw)] });
    expect(await client.outcome()).toEqual({ kind: 'protocol_error', message });
    await client.open(0);
    expect(client.endpoint.requests).toHaveLength(1);
  });
});

describe('a head', () => {
  it('that never ends is refused', async () => {
    const drip: answers.Answer = ({ tls }) => {
      tls.write(ok);
      const next = (): void => void (tls.destroyed || tls.write(`X: ${'x'.repeat(500)}\r\n`, () => setImmediate(next)));
      next();
    };
    await using client = await startPair({ answers: [drip] });
    expect(await client.outcome()).toMatchObject({ kind: 'protocol_error' });
  });

  it('that arrives slowly does not extend the deadline', async () => {
    const clock = new ManualClock();
    const connections: TLSSocket[] = [];
    await using client = await startPair({
      answers: [({ tls }) => void connections.push(tls)],
      clock,
      timeoutMs: 15_000,
    });
    const { outcome } = client.send();
    await client.endpoint.received(1);
    for (const byte of ok.slice(0, 14)) {
      connections[0]?.write(byte);
      await clock.advance(1000);
    }
    await clock.advance(999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await outcome).toEqual({ kind: 'timeout', message: 'no response within 15000 ms' });
  });
});

describe('a 2xx head that ends with the connection is a delivery', () => {
  const heads = [ok, 'HTTP/1.1 200 OK\n', `${ok}Content-Length: 2\r\n`, `${ok}Content-Le`];
  const ends: readonly (readonly [how: string, end: (raw: string) => answers.Answer])[] = [
    ['with close_notify', last],
    [
      'without',
      (raw) =>
        ({ tls, tcp }) =>
          void tls.write(raw, () => tcp.end()),
    ],
  ];

  it.each(heads.flatMap((head) => ends.map(([how, end]) => ({ head, how, answer: end(head) }))))(
    '$how: $head',
    async ({ answer }) => {
      await using client = await startPair({ answers: [200, answer] });
      // On a new connection, and on a reused one.
      for (const open of [1, 0, 0]) {
        expect(await client.outcome()).toEqual(delivered);
        await client.open(open);
      }
      expect(client.endpoint.requests).toHaveLength(3);
    },
  );

  it('but none if it is reset', async () => {
    const reset: answers.Answer = ({ tls, tcp }) => void tls.write(ok, () => tcp.resetAndDestroy());
    await using client = await startPair({ answers: [reset] });
    expect(await client.outcome()).toMatchObject({ kind: 'connection_lost' });
  });
});

describe('a bomb', () => {
  const zeros = Buffer.alloc(8 * 1024 * 1024);

  // The client counts the bytes that it reads. A decoded body would be too long, and its connection would be closed.
  it.each([
    ['gzip', gzipSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(zeros)],
  ])('of %s is never decoded', async (encoding, body) => {
    expect(body.length).toBeLessThan(16 * 1024);
    const bomb = answers.status(200, {
      headers: { 'content-encoding': encoding, 'content-length': body.length },
      body,
    });
    await using client = await startPair({ answers: [bomb, 200] });
    expect(await client.outcome()).toEqual(delivered);
    await client.idle(1);
    expect(await client.outcome()).toEqual(delivered);
    expect(client.endpoint.connectionsOpened).toBe(1);
  });
});

describe('an early response', () => {
  it('before the end of the request body counts', async () => {
    await using endpoint = await startTlsListener(identity, (tls) =>
      tls.once('data', () => {
        tls.pause();
        tls.write(`${ok}Content-Length: 0\r\n\r\n`);
      }),
    );
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: endpoint.port, body: Buffer.alloc(8_000_000) })).toEqual(delivered);
  });

  it('before its request leads to one outcome', async () => {
    await using endpoint = await startTlsListener(identity, (tls) => tls.write(`${ok}Content-Length: 0\r\n\r\n`));
    await using client = new ClientUnderTest();
    const outcome = await client.outcome({ port: endpoint.port });
    expect(['delivered', 'protocol_error', 'connection_lost']).toContain(outcome.kind);
  });

  it('without a request is no answer, and closes the connection', async () => {
    const connections: TLSSocket[] = [];
    await using endpoint = await startTlsListener(identity, (tls) => {
      connections.push(tls);
      tls.on('data', () => tls.write(`HTTP/1.1 50${connections.length} No\r\nContent-Length: 0\r\n\r\n`));
    });
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: endpoint.port })).toMatchObject({ status: 501 });
    await client.idle(1);
    connections[0]?.write(`${ok}Content-Length: 0\r\n\r\n`);
    await client.open(0);
    expect(await client.outcome({ port: endpoint.port })).toMatchObject({ status: 502 });
  });
});

it('bytes injected into the connection are no response', async () => {
  const connections: Socket[] = [];
  const inject = (): void => connections.forEach((one) => one.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  await using endpoint = await startEndpoint({ identity, answers: [inject] });
  await using listener = await startListener((socket) => {
    connections.push(socket);
    passOn(socket, endpoint.port);
  });
  await using client = new ClientUnderTest();
  expect(await client.outcome({ port: listener.port })).toEqual({
    kind: 'tls_error',
    message: expect.stringMatching(/^TLS failed \(ERR_SSL_\w+\)$/),
  });
  await client.open(0);
});
