import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repairRequestQueueTimer } from '../../../../src/kafka/kafkajs/connections/request-queue-timer.ts';
import { checkTimeoutsTogether } from '../../../../src/kafka/kafkajs/connections/request-timeouts.ts';
import type { RequestQueue } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { startListener } from '../../../support/endpoints/listeners.ts';
import { Arrivals } from '../../../support/time/arrivals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';

interface RealConnection {
  requestQueue: RequestQueue;
  connect(): Promise<boolean>;
  disconnect(): Promise<boolean>;
  send(exchange: object): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const requestTimeout = 5000;

/** Connections of kafkajs. Their queues are of a subclass, so that the original stays unchanged. */
class Connections {
  readonly #Connection: new (options: object) => RealConnection = require('kafkajs/src/network/connection');
  readonly #Queue: new (options: object) => RequestQueue;

  constructor(clock: ManualClock) {
    const Original: new (options: object) => RequestQueue = require('kafkajs/src/network/requestQueue');
    this.#Queue = class extends Original {};
    repairRequestQueueTimer(this.#Queue.prototype, () => clock.monotonic());
    checkTimeoutsTogether(this.#Queue.prototype, clock);
  }

  async open(port: number): Promise<RealConnection> {
    const silent = (): void => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const createFactory: () => unknown = require('kafkajs/src/network/socketFactory');
    const connection = new this.#Connection({
      host: '127.0.0.1',
      port,
      logger: { namespace: () => log },
      socketFactory: createFactory(),
      connectionTimeout: 60_000,
      requestTimeout,
    });
    connection.requestQueue = new this.#Queue({ requestTimeout, enforceRequestTimeout: true, logger: log });
    await connection.connect();
    return connection;
  }
}

function ask(connection: RealConnection, timeoutMs?: number): Promise<unknown> {
  const encode = async (): Promise<unknown> => new (loadInternals().Encoder)();
  const request = { apiKey: 3, apiVersion: 6, apiName: 'Metadata', encode };
  return connection.send({ request, response: {}, requestTimeout: timeoutMs });
}

describe('a request that a broker never answers', () => {
  const clock = new ManualClock();

  beforeEach(() => void vi.spyOn(Date, 'now').mockImplementation(() => clock.monotonic()));
  afterEach(() => void vi.restoreAllMocks());

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
