import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import * as answers from '../support/endpoints/answers.ts';
import type { Endpoint } from '../support/endpoints/endpoint.ts';
import { startTlsListener } from '../support/endpoints/listeners.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { ClientUnderTest, delivered, identity, patience, startPair } from './client-under-test.ts';

/** Answers with these bytes, and ends the connection. */
function last(raw: string): answers.Answer {
  return ({ tls }) => void tls.end(raw);
}

/** The ways in which a server closes a connection behind a status. */
const closings: Readonly<Record<string, (status: number) => answers.Answer>> = {
  'says close': answers.closing,
  'says close in a list': (status) =>
    last(`HTTP/1.1 ${status} X\r\nConnection: keep-alive, close\r\nContent-Length: 0\r\n\r\n`),
  'says close in a second header': (status) =>
    last(`HTTP/1.1 ${status} X\r\nConnection: keep-alive\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`),
  'speaks HTTP/1.0': (status) => last(`HTTP/1.0 ${status} X\r\nContent-Length: 0\r\n\r\n`),
  'sends a body until its end': (status) => last(`HTTP/1.1 ${status} X\r\n\r\n<html>`),
  'says nothing': answers.closingUnannounced,
};

const mayAnswerOther = [400, 408, 414, 431, 501, 505];
const answersUs = [401, 403, 404, 413, 429, 500, 503];
const pairsOf = (statuses: readonly number[]) =>
  statuses.flatMap((status) => Object.entries(closings).map(([how, closing]) => ({ status, how, closing })));

function connectionsOf({ endpoint: { requests } }: { readonly endpoint: Endpoint }): readonly number[] {
  return requests.map(({ connection }) => connection);
}

/** Sends as many requests, one behind the other. Resolves to their outcomes. */
async function outcomesOf(client: ClientUnderTest, count: number): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    outcomes.push(await client.outcome());
    await expect.poll(() => client.client.state().open === client.client.state().idle, patience).toBe(true);
  }
  return outcomes;
}

describe('an answer on a reused connection', () => {
  // The clock stands still, so that an end that comes late is waited for.
  it.each(pairsOf(mayAnswerOther))('with $status is replaced once if the server $how', async ({ status, closing }) => {
    await using client = await startPair({
      answers: [200, closing(status), closing(status)],
      clock: new ManualClock(),
    });
    const outcomes = await outcomesOf(client, 2);
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'http_error', status }]);
    expect(connectionsOf(client)).toEqual([1, 1, 2]);
  });

  it.each(pairsOf(answersUs))('with $status counts if the server $how', async ({ status, closing }) => {
    await using client = await startPair({ answers: [200, closing(status), 202], clock: new ManualClock() });
    const outcomes = await outcomesOf(client, 2);
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'http_error', status }]);
    expect(connectionsOf(client)).toEqual([1, 1]);
  });

  it.each([
    ['stays open for 100 ms', answers.status(400), { open: 1, idle: 1 }],
    ['is closed for the length of its body', answers.status(400, { body: Buffer.alloc(17_000) }), { open: 0, idle: 0 }],
  ])('with 400 counts if its connection %s', async (_title, answer, state) => {
    const clock = new ManualClock();
    await using client = await startPair({ answers: [200, answer, 202], clock });
    await outcomesOf(client, 1);
    const { outcome } = client.send();
    await client.endpoint.received(2);
    await vi.waitFor(async () => {
      await clock.advance(100);
      expect(client.client.state()).toEqual(state);
    }, patience);
    expect(await outcome).toMatchObject({ kind: 'http_error', status: 400 });
    expect(connectionsOf(client)).toEqual([1, 1]);
  });

  it.each([
    ['the deadline ends', async (clock: ManualClock) => clock.advance(15_000)],
    ['it is aborted', async (_clock: ManualClock, inFlight: { abort(): void }) => inFlight.abort()],
  ])('counts although %s before its connection has', async (_title, end) => {
    const clock = new ManualClock();
    const answer = answers.bytes('HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\n\r\n');
    await using client = await startPair({ answers: [200, answer], clock, timeoutMs: 900 });
    await outcomesOf(client, 1);
    const inFlight = client.send();
    // The timers of the deadline and of the body.
    await expect.poll(() => clock.pending, patience).toBe(2);
    await end(clock, inFlight);
    expect(await inFlight.outcome).toMatchObject({ kind: 'http_error', status: 400 });
    await client.open(0);
  });
});

describe('an endpoint that answers something else than the request', () => {
  it('gets ten minutes without a reused connection', async () => {
    const clock = new ManualClock();
    const script = [200, answers.closing(400), 200, 200, 200, 200, 200];
    await using client = await startPair({ answers: script, clock });
    await outcomesOf(client, 3);
    await clock.advance(599_999);
    await outcomesOf(client, 1);
    await clock.advance(1);
    await outcomesOf(client, 2);
    expect(connectionsOf(client)).toEqual([1, 1, 2, 3, 4, 5, 5]);
  });

  it('is used as before after a 408', async () => {
    await using client = await startPair({ answers: [200, answers.closing(408), 200], clock: new ManualClock() });
    await outcomesOf(client, 3);
    expect(connectionsOf(client)).toEqual([1, 1, 2, 2]);
  });

  it('because it does not read bodies gets all of twenty certificates, in 21 requests', async () => {
    const received: string[] = [];
    await using endpoint = await startTlsListener(identity, (tls) => {
      let text = '';
      tls.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const [line = ''] = text.split('\r\n', 1);
        received.push(line);
        // The body is left, as the beginning of the next request.
        text = text.slice(end + 4);
        if (line.startsWith('POST ')) tls.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else tls.end('HTTP/1.1 501 Unsupported method\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      });
    });
    await using client = new ClientUnderTest({}, endpoint.port);
    const outcomes = await outcomesOf(client, 20);
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'delivered', status: 200 })));
    expect(received).toHaveLength(21);
    expect(received[1]).toBe('{}POST /hook HTTP/1.1');
  });
});

describe('bytes that arrive on a reused connection before the request is written', () => {
  it('are no answer, a 2xx least of all: the request is sent again on a new one', async () => {
    let connections = 0;
    await using endpoint = await startTlsListener(identity, (tls) => {
      connections += 1;
      const status = 200 + connections;
      tls.once('data', () => {
        tls.write(`HTTP/1.1 ${status} OK\r\nContent-Length: 0\r\n\r\n`);
        tls.once('data', () => tls.pause().write('HTTP/1.1 200 Not Yours\r\nContent-Length: 0\r\n\r\n'));
      });
    });
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: endpoint.port })).toEqual({ kind: 'delivered', status: 201 });
    await client.idle(1);
    // Longer than what the systems of both sides buffer.
    const body = Buffer.alloc(32 * 1024 * 1024);
    expect(await client.outcome({ port: endpoint.port, body })).toEqual({ kind: 'delivered', status: 202 });
  });

  it('are an answer if the request was written, and Node has only not told yet', async () => {
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(answerAtOnce, {
      eval: true,
      workerData: { cert: identity.certificate, key: identity.key, answered },
    });
    const [port]: number[] = await once(worker, 'message');
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: port ?? 0 })).toEqual(delivered);
    for (let sent = 1; sent <= 100; sent += 1) {
      await client.idle(1);
      const { outcome } = client.send({ port: port ?? 0 });
      // undici writes in an immediate. The answer comes within the same turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      expect(Atomics.wait(answered, 0, sent, 20_000)).not.toBe('timed-out');
      expect(await outcome).toEqual(delivered);
    }
    expect(client.opened).toHaveLength(1);
    await worker.terminate();
  });
});

/** The code of a thread with an endpoint, which answers while this one is busy. */
const answerAtOnce = `
  const { createServer } = require('node:https');
  const { parentPort, workerData } = require('node:worker_threads');
  const { answered, ...identity } = workerData;
  const server = createServer(identity, (request, response) =>
    request.resume().on('end', () => {
      response.end();
      Atomics.add(answered, 0, 1);
      Atomics.notify(answered, 0);
    }),
  );
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
