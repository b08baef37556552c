import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repairRequestQueueTimer } from '../../../../src/kafka/kafkajs/repairs/request-queue-timer.ts';
import { connectOnce } from '../../../../src/kafka/kafkajs/repairs/connect-once.ts';
import { closeUnanswered } from '../../../../src/kafka/kafkajs/repairs/request-timeouts.ts';
import type { MonotonicClock } from '../../../../src/lib/clock.ts';
import type { Connection, RequestQueue } from '../../../../src/kafka/kafkajs/internals.ts';
import { startListener } from '../../../support/endpoints/listeners.ts';
import { Arrivals } from '../../../support/time/arrivals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';

interface RealConnection extends Connection {
  requestQueue: RequestQueue;
  disconnect(): Promise<boolean>;
  send(exchange: object): Promise<unknown>;
  setVersions(versions: object): void;
  setSupportAuthenticationProtocol(isSupported: boolean): void;
  authenticate(): Promise<void>;
}

const require = createRequire(import.meta.url);
const requestTimeout = 5000;

/** Connections of kafkajs. They and their queues are of subclasses, so that the originals stay unchanged. */
class Connections {
  readonly #Connection: new (options: object) => RealConnection;
  readonly #Queue: new (options: object) => RequestQueue;

  constructor(clock: MonotonicClock) {
    const Original: new (options: object) => RequestQueue = require('kafkajs/src/network/requestQueue');
    const OriginalConnection: new (options: object) => RealConnection = require('kafkajs/src/network/connection');
    this.#Queue = class extends Original {};
    this.#Connection = class extends OriginalConnection {};
    connectOnce(this.#Connection.prototype);
    repairRequestQueueTimer(this.#Queue.prototype, () => clock.monotonic());
    closeUnanswered({ connection: this.#Connection.prototype, requestQueue: this.#Queue.prototype }, clock);
  }

  async open(port: number, isSecured = false): Promise<RealConnection> {
    const silent = (): void => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent, namespace: (): object => log };
    const createFactory: () => unknown = require('kafkajs/src/network/socketFactory');
    const connection = new this.#Connection({
      host: '127.0.0.1',
      port,
      logger: log,
      socketFactory: createFactory(),
      connectionTimeout: 60_000,
      requestTimeout,
      sasl: isSecured ? { mechanism: 'plain', username: 'service', password: 'secret' } : null,
    });
    const isConnected = (): boolean => connection.isConnected();
    connection.requestQueue = new this.#Queue({
      requestTimeout,
      enforceRequestTimeout: true,
      logger: log,
      isConnected,
    });
    await connection.connect();
    return connection;
  }
}

function ask(connection: RealConnection, timeoutMs?: number): Promise<unknown> {
  const encode = async (): Promise<unknown> => new Encoder();
  const request = { apiKey: 3, apiVersion: 6, apiName: 'Metadata', encode };
  const response = { decode: async () => ({ clientSideThrottleTime: 0 }), parse: async () => 'answered' };
  return connection.send({ request, response, requestTimeout: timeoutMs });
}

const Encoder: new () => object = require('kafkajs/src/protocol/encoder');
const clock = new ManualClock();

beforeEach(() => void vi.spyOn(Date, 'now').mockImplementation(() => clock.monotonic()));
afterEach(() => void vi.restoreAllMocks());

describe('a request that a broker never answers', () => {
  it('is rejected within a second of its timeout', async () => {
    const received = new Arrivals<string>('request');
    await using broker = await startListener((socket) => socket.once('data', () => received.add('a request')));
    const connections = new Connections(clock);
    const [first, second] = [await connections.open(broker.port), await connections.open(broker.port)];
    const rejected: string[] = [];
    const reject = (name: string) => () => void rejected.push(name);
    void ask(first).catch(reject('of the client'));
    void ask(second, 10_000).catch(reject('of the request'));
    await received.first(2);
    await clock.advance(requestTimeout);
    expect(rejected).toEqual([]);
    await clock.advance(1000);
    expect(rejected).toEqual(['of the client']);
    await clock.advance(5000);
    expect(rejected).toEqual(['of the client', 'of the request']);
    await first.disconnect();
    await second.disconnect();
  });

  it.each([
    ['at once', Buffer.of()],
    ['within an answer', Buffer.of(0, 0, 0, 100, 0, 0, 0, 0)],
  ])('closes its connection, which fell silent %s, and the next one works', async (_title, beginning) => {
    const received = new Arrivals<string>('request');
    await using broker = await startListener((socket) => {
      const answer = broker.connectionsOpened === 1 ? beginning : Buffer.of(0, 0, 0, 4, 0, 0, 0, 2);
      socket.once('data', () => {
        socket.write(answer);
        received.add('a request');
      });
    });
    const connection = await new Connections(clock).open(broker.port);
    const others = Promise.allSettled([ask(connection), ask(connection, 60_000)]);
    await received.first(1);
    await clock.advance(requestTimeout + 1000);
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect.poll(() => connection.isConnected()).toBe(false);
    await connection.connect();
    expect(await ask(connection)).toBe('answered');
    expect(broker.connectionsOpened).toBe(2);
    await connection.disconnect();
  });

  it('is not judged by a check that comes late, because its answer may wait in the socket', async () => {
    const received = new Arrivals<string>('request');
    await using broker = await startListener((socket) => socket.once('data', () => received.add('a request')));
    let now = clock.monotonic();
    let check = (): void => undefined;
    const after = (_ms: number, run: () => void): Disposable => {
      check = run;
      return { [Symbol.dispose]: () => undefined };
    };
    const connection = await new Connections({ monotonic: () => now, after }).open(broker.port);
    const asked = ask(connection);
    await received.first(1);
    now += 2 * requestTimeout;
    check();
    expect(connection.requestQueue.inflight.size).toBe(1);
    now += 2 * requestTimeout;
    check();
    expect(connection.requestQueue.inflight.size).toBe(0);
    await expect(asked).rejects.toThrow('timed out');
  });

  it('shares a timer with those of all connections, which ends with the last one', async () => {
    await using broker = await startListener();
    const connections = new Connections(clock);
    const [first, second] = [await connections.open(broker.port), await connections.open(broker.port)];
    expect(clock.pending).toBe(1);
    await first.disconnect();
    expect(clock.pending).toBe(1);
    await second.disconnect();
    expect(clock.pending).toBe(0);
  });
});

describe('a login to a broker older than SaslAuthenticate', () => {
  const saslHandshake = 17;
  const accepted = Buffer.from([0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, ...Buffer.from('PLAIN')]);

  it.each([
    ['does not answer', (): void => undefined],
    ['resets the connection', (socket: Socket): void => void socket.resetAndDestroy()],
  ])('fails, and the next one works, if the broker %s', async (_title, fail) => {
    const received = new Arrivals<string>('token');
    await using broker = await startListener((socket) => {
      const isFirst = broker.connectionsOpened === 1;
      socket.on('data', (request) => {
        request.copy(accepted, 4, 8, 12);
        if (request.readInt16BE(4) === saslHandshake) socket.write(accepted);
        else if (isFirst) fail(socket);
        else socket.write(Buffer.alloc(4));
        if (request.readInt16BE(4) !== saslHandshake) received.add('a token');
      });
    });
    const connection = await new Connections(clock).open(broker.port, true);
    connection.setVersions({ [saslHandshake]: { minVersion: 0, maxVersion: 0 } });
    connection.setSupportAuthenticationProtocol(false);
    const failed = connection.authenticate().catch(String);
    await received.first(1);
    await clock.advance(requestTimeout);
    expect(await failed).toContain('the broker did not answer in time');
    await expect.poll(() => connection.isConnected()).toBe(false);
    await connection.connect();
    await connection.authenticate();
    expect(clock.pending).toBe(1);
    await connection.disconnect();
  });
});
