import { hasSubscribers } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { createEgress, createHttpClient, type HttpClientOptions } from '../../src/http/http-client.ts';
import { watchRequests } from '../../src/http/request-watch.ts';
import { targetOf } from '../../src/http/target.ts';
import * as answers from '../support/endpoints/answers.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { startTlsListener } from '../support/endpoints/listeners.ts';
import { startDnsServer } from './dns/dns-server.ts';
import {
  authority,
  ClientUnderTest,
  delivered,
  identity,
  patience,
  patientOptions,
  startPair,
} from './client-under-test.ts';

describe('a request as it is sent', () => {
  it('holds its head, its own headers and its body, and nothing else', async () => {
    let request = '';
    await using endpoint = await startTlsListener(identity, (tls) =>
      tls.once('data', (first: Buffer) => {
        request = first.toString('utf8');
        tls.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    await using client = new ClientUnderTest();
    const outcome = await client.outcome({
      port: endpoint.port,
      path: '/hooks/a%20b?c=d&e',
      headers: ['Content-Type', 'application/json', 'X-API-Key', 'kEy', 'x-ENVironment', 'Pro  duction'],
      extraHeaders: ['X-Delivery', 't/0/1/w'],
      body: Buffer.from('{"name":"Grüße"}'),
    });
    expect(outcome).toEqual(delivered);
    expect(request).toBe(
      [
        'POST /hooks/a%20b?c=d&e HTTP/1.1',
        `host: a.test:${endpoint.port}`,
        'connection: keep-alive',
        'Content-Type: application/json',
        'X-API-Key: kEy',
        'x-ENVironment: Pro  duction',
        'X-Delivery: t/0/1/w',
        'content-length: 18',
        '',
        '{"name":"Grüße"}',
      ].join('\r\n'),
    );
  });

  it('carries its body byte for byte', async () => {
    await using client = await startPair();
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
    await client.outcome({ body });
    const [received] = await client.endpoint.received(1);
    expect(received?.body.equals(body)).toBe(true);
    expect(received?.header('content-length')).toBe('300000');
  });
});

describe('the response head decides:', () => {
  it.each([200, 201, 202, 204, 299])('%d is delivered', async (status) => {
    await using client = await startPair({ answers: [status] });
    expect(await client.outcome()).toEqual({ kind: 'delivered', status });
  });

  it.each([300, 304, 400, 401, 403, 404, 410, 429, 500, 503, 599])('%d is an http_error', async (status) => {
    await using client = await startPair({ answers: [status] });
    const outcome = await client.outcome();
    expect(outcome).toEqual({ kind: 'http_error', status, retryAfterMs: undefined });
  });

  it.each([301, 302, 303, 307, 308])('a redirect with %d is not followed', async (status) => {
    await using endpoint = await startEndpoint({ identity });
    endpoint.script('/hook', answers.redirect(`https://a.test:${endpoint.port}/elsewhere`, status));
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: 'http_error', status });
    expect(endpoint.requests.map(({ path }) => path)).toEqual(['/hook']);
  });

  it.each([429, 503, 500, 302])('Retry-After is read with %d', async (status) => {
    await using client = await startPair({ answers: [answers.retryAfter(status, '7')] });
    expect(await client.outcome()).toEqual({ kind: 'http_error', status, retryAfterMs: 7000 });
  });

  it('Retry-After is measured against the clock of the response', async () => {
    const headers = { date: 'Sat, 21 Nov 2026 20:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 20:02:00 GMT' };
    await using client = await startPair({ answers: [answers.status(503, { headers })] });
    expect(await client.outcome()).toMatchObject({ retryAfterMs: 120_000 });
  });

  it.each([[[102]], [[103, 103]], [[100]], [[100, 100, 103]]])('interim responses %j are skipped', async (codes) => {
    const script = [answers.afterInterim(codes, answers.status(201)), answers.afterInterim(codes, answers.status(202))];
    await using client = await startPair({ answers: script });
    expect(await client.outcome()).toEqual({ kind: 'delivered', status: 201 });
    await client.idle(1);
    expect(await client.outcome()).toEqual({ kind: 'delivered', status: 202 });
    expect(client.endpoint.connectionsOpened).toBe(1);
  });
});

describe('a body', () => {
  it.each([
    ['that never ends', answers.drip()],
    ['that stalls', answers.hangInBody()],
    ['that is reset', answers.resetInBody()],
    ['of five megabytes', answers.status(200, { body: Buffer.alloc(5_000_000) })],
  ])('%s does not delay the outcome', async (_title, answer) => {
    await using client = await startPair({ answers: [answer], timeoutMs: 60_000 });
    expect(await client.outcome()).toEqual(delivered);
  });

  it.each([
    ['of a known length', answers.status(200, { body: Buffer.alloc(16 * 1024) }), 1],
    ['of a known length beyond 16 KiB', answers.status(200, { body: Buffer.alloc(16 * 1024 + 1) }), 2],
    ['without a length', chunked(16 * 1024), 1],
    ['without a length beyond 16 KiB', chunked(16 * 1024 + 1), 2],
  ])('%s keeps the connection, or closes it beyond 16 KiB', async (_title, answer, connections) => {
    await using client = await startPair({ answers: [answer, 200] });
    await client.outcome();
    await expect.poll(() => client.client.state().open === client.client.state().idle, patience).toBe(true);
    await client.outcome();
    expect(client.endpoint.connectionsOpened).toBe(connections);
  });

  it('announced as too long is not read', async () => {
    const clock = new ManualClock();
    const head = answers.bytes('HTTP/1.1 200 OK\r\nContent-Length: 16385\r\n\r\n');
    await using client = await startPair({ answers: [head], clock });
    expect(await client.outcome()).toEqual(delivered);
    await client.open(0);
    expect(clock.pending).toBe(0);
  });
});

function chunked(bytes: number): answers.Answer {
  return ({ response }) => {
    response.writeHead(200).write(Buffer.alloc(bytes - 1));
    response.end('.');
  };
}

describe('a watch', () => {
  it('reports the steps of requests to its origin, until it is disposed', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using other = await startEndpoint({ identity });
    await using client = new ClientUnderTest();
    const steps: string[] = [];
    {
      using _watch = watchRequests(`https://a.test:${endpoint.port}`, {
        onWritten: () => steps.push('written'),
        onHead: () => steps.push('head'),
      });
      await client.outcome({ port: other.port });
      expect(steps).toEqual([]);
      await client.outcome({ port: endpoint.port });
      expect(steps).toEqual(['written', 'head']);
    }
    await client.outcome({ port: endpoint.port });
    expect(steps).toEqual(['written', 'head']);
    expect(['undici:request:bodySent', 'undici:request:headers'].filter((name) => hasSubscribers(name))).toEqual([]);
  });

  it('reports no head before one comes', async () => {
    await using client = await startPair({ answers: [answers.hang()] });
    const steps: string[] = [];
    using _watch = watchRequests(`https://a.test:${client.endpoint.port}`, {
      onWritten: () => steps.push('written'),
      onHead: () => steps.push('head'),
    });
    const sent = client.send();
    await client.endpoint.received(1);
    sent.abort();
    await sent.outcome;
    expect(steps).toEqual(['written']);
  });
});

it('a client leaves an egress open that it shares', async () => {
  await using endpoint = await startEndpoint({ identity: authority.issue({ names: ['resolved.test'] }) });
  await using dns = await startDnsServer({ 'resolved.test': { a: ['127.0.0.1'] } });
  const [connectionOpened, addressesDropped, connectionCut, handshakeUnanswered] = Array(4).fill(() => undefined);
  const events = { connectionOpened, addressesDropped, connectionCut, handshakeUnanswered };
  const options: HttpClientOptions = { ...patientOptions, findServers: () => [dns.address], events };
  await using egress = createEgress(options);
  await createHttpClient({ ...options, egress })[Symbol.asyncDispose]();
  // Names need the resolver, which the disposal of an egress closes.
  const { socket } = await egress.connect(targetOf(`https://resolved.test:${endpoint.port}`), new AbortController());
  expect(socket.authorized).toBe(true);
  socket.destroy();
});
