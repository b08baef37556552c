import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import * as answers from './answers.ts';
import { createAuthority, createSelfSigned, expired } from '../tls/authority.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';
import { reserveRefusingPort, startListener } from './listeners.ts';

const authority = createAuthority();
const identity = authority.issue();

describe('a request', () => {
  it('is recorded unchanged', async () => {
    await using endpoint = await startEndpoint({ identity });
    await post(endpoint, { path: '/a%20b?c=d', headers: ['X-One', '1', 'x-TWO', '2', 'X-One', '3'], body: 'grüß' });
    const [received] = await endpoint.received(1);
    expect(received).toMatchObject({
      method: 'POST',
      path: '/a%20b?c=d',
      body: Buffer.from('grüß'),
      connection: 1,
      tls: { version: 'TLSv1.3', serverName: 'localhost', resumed: false },
    });
    expect(received?.headers.slice(0, 3)).toEqual([
      ['X-One', '1'],
      ['x-TWO', '2'],
      ['X-One', '3'],
    ]);
    expect(received?.header('X-Two')).toBe('2');
    expect(received?.header('x-one')).toBeUndefined();
  });

  it('can be awaited by number; the error says how many arrived', async () => {
    await using endpoint = await startEndpoint({ identity });
    const second = endpoint.received(2);
    await post(endpoint);
    await expect(endpoint.received(2, 1)).rejects.toThrow('Waited for request number 2; 1 arrived within 1 ms.');
    await post(endpoint);
    expect(await second).toHaveLength(2);
  });
});

describe('a script', () => {
  it('gives its answers in order and repeats the last one', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [503, answers.retryAfter(429, '7'), 204] });
    const statuses = [await post(endpoint), await post(endpoint), await post(endpoint), await post(endpoint)];
    expect(statuses.map((response) => response.status)).toEqual([503, 429, 204, 204]);
    expect(statuses[1]?.headers['retry-after']).toBe('7');
  });

  it('applies to one path', async () => {
    await using endpoint = await startEndpoint({ identity });
    endpoint.script('/down', 500);
    expect(await post(endpoint, { path: '/down' })).toMatchObject({ status: 500 });
    expect(await post(endpoint, { path: '/up' })).toMatchObject({ status: 200, body: '{"received":true}' });
  });

  it('sends interim responses first', async () => {
    await using endpoint = await startEndpoint({
      identity,
      answers: [answers.afterInterim([102, 103], answers.status(201))],
    });
    expect(await post(endpoint)).toMatchObject({ status: 201, interim: [102, 103] });
  });

  it.each([
    ['resets before the head', answers.reset(), 'ECONNRESET'],
    ['resets within the head', answers.resetInHead(), 'ECONNRESET'],
    ['resets within the body', answers.resetInBody(), 'ECONNRESET'],
    ['ends without an answer', answers.disconnect(), 'ECONNRESET'],
    ['answers garbage', answers.bytes('what?\r\n\r\n'), 'HPE_INVALID_CONSTANT'],
    ['sends a head that is too large', answers.largeHead(100_000), 'HPE_HEADER_OVERFLOW'],
  ])('%s', async (_title, answer, code) => {
    await using endpoint = await startEndpoint({ identity, answers: [answer] });
    await expect(post(endpoint)).rejects.toMatchObject({ code });
  });

  it.each([
    ['before the head', answers.hang(), ''],
    ['within the head', answers.hangInHead(), 'HTTP/1.1 200 OK\r\nContent-Type: appl'],
    ['within the body', answers.hangInBody(), /\{"received":$/],
    ['never, in small chunks', answers.drip({ everyMs: 1 }), /(\r\n1\r\n\.){3}/],
  ])('stops answering %s', async (_title, answer, expected) => {
    await using endpoint = await startEndpoint({ identity, answers: [answer] });
    using socket = await connectTls(endpoint, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
    await endpoint.received(1);
    expect(await socket.readUntil(expected)).toMatch(expected);
    expect(endpoint.connectionsOpen).toBe(1);
  });
});

describe('a connection', () => {
  it('is used again, until the endpoint closes it', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [200, 200, answers.closing(200), 200] });
    using pool = keepAlive();
    for (let sent = 0; sent < 4; sent += 1) await post(endpoint, { agent: pool.agent });
    expect(endpoint.requests.map((received) => received.connection)).toEqual([1, 1, 1, 2]);
    expect(endpoint.connectionsOpened).toBe(2);
  });

  it('can be closed without an announcement', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [answers.closingUnannounced(200)] });
    using pool = keepAlive();
    const first = await post(endpoint, { agent: pool.agent });
    expect(first.headers.connection).toBe('keep-alive');
    await pool.closed();
    await post(endpoint, { agent: pool.agent });
    expect(endpoint.connectionsOpened).toBe(2);
  });
});

describe('a handshake', () => {
  it.each([
    ['expired', authority.issue(expired()), 'CERT_HAS_EXPIRED'],
    ['of another host', authority.issue({ names: ['other.example'] }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of another authority', createAuthority('Another').issue(), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of another authority of the same name', createAuthority().issue(), 'CERT_SIGNATURE_FAILURE'],
    ['signed by itself', createSelfSigned(), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('with a certificate %s is refused', async (_title, wrong, code) => {
    await using endpoint = await startEndpoint({ identity: wrong });
    await expect(post(endpoint)).rejects.toMatchObject({ code });
    expect(endpoint.requests).toEqual([]);
  });

  it('can use TLS 1.1, which clients refuse', async () => {
    const tls = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await using endpoint = await startEndpoint({ identity, tls });
    await expect(post(endpoint)).rejects.toThrow('alert protocol version');
    using old = await connectTls(endpoint, '', tls);
    expect(old.socket.getProtocol()).toBe('TLSv1.1');
  });
});

describe('a port', () => {
  it('refuses connections while it is reserved', async () => {
    await using refusing = await reserveRefusingPort();
    const socket = connectTcp(refusing.port, '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('accepts connections and sends nothing by default', async () => {
    await using silent = await startListener();
    const socket = connectTcp(silent.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect(silent.connectionsOpened).toBe(1);
  });
});

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly interim: readonly number[];
}

interface Sent {
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly agent?: Agent;
}

async function post(
  endpoint: Endpoint,
  { path = '/', headers = [], body = '{}', agent }: Sent = {},
): Promise<Answered> {
  const length = ['Content-Length', String(Buffer.byteLength(body)), 'Host', 'localhost'];
  const sent = request(endpoint.url(path), {
    method: 'POST',
    headers: [...headers, ...length],
    ca: authority.certificate,
    agent: agent ?? false,
  });
  const interim: number[] = [];
  sent.on('information', (information) => interim.push(information.statusCode));
  sent.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: text,
    interim,
  };
}

function keepAlive(): Disposable & { readonly agent: Agent; closed(): Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<TLSSocket>();
  agent.on('free', (socket: TLSSocket) => sockets.add(socket));
  return {
    agent,
    async closed() {
      for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close');
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function connectTls(endpoint: Endpoint, text: string, options = {}): Promise<Disposable & RawConnection> {
  const socket = connect({ port: endpoint.port, host: 'localhost', ca: authority.certificate, ...options });
  await once(socket, 'secureConnect');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.write(text);
  return {
    socket,
    async readUntil(expected) {
      while (!(typeof expected === 'string' ? received.startsWith(expected) : expected.test(received)))
        await once(socket, 'data');
      return received;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

interface RawConnection {
  readonly socket: TLSSocket;
  readUntil(expected: string | RegExp): Promise<string>;
}
