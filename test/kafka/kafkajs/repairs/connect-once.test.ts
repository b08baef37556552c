import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { connectOnce } from '../../../../src/kafka/kafkajs/repairs/connect-once.ts';
import type { Connection } from '../../../../src/kafka/kafkajs/internals.ts';
import { startListener } from '../../../support/endpoints/listeners.ts';

const require = createRequire(import.meta.url);

type RealConnection = Connection & { disconnect(): Promise<boolean> };

const silent = (): void => undefined;

/** Creates a connection of kafkajs. The repair applies to a subclass, so that the original stays unchanged. */
function connectionTo(port: number): RealConnection {
  const Original: new (options: object) => RealConnection = require('kafkajs/src/network/connection');
  const socketFactory: () => unknown = require('kafkajs/src/network/socketFactory');
  class Repaired extends Original {}
  connectOnce(Repaired.prototype);
  const logger = { namespace: () => ({ debug: silent, info: silent, warn: silent, error: silent }) };
  const options = { host: '127.0.0.1', port, logger, socketFactory: socketFactory(), connectionTimeout: 60_000 };
  return new Repaired({ ...options, requestTimeout: 5000 });
}

describe('a connection to a broker', () => {
  it('is opened once for requests that find it closed at the same time', async () => {
    await using listener = await startListener();
    const connection = connectionTo(listener.port);
    await Promise.all(Array.from({ length: 10 }, () => connection.connect()));
    // Connections are accepted in order. Once this later one is, all earlier ones are counted.
    const last = connectionTo(listener.port);
    await last.connect();
    expect(listener.connectionsOpened).toBe(2);
    await connection.disconnect();
    await last.disconnect();
  });

  it('is opened again by the next request after a failure', async () => {
    const listener = await startListener();
    await listener[Symbol.asyncDispose]();
    const connection = connectionTo(listener.port);
    const attempts = [connection.connect(), connection.connect()];
    expect(attempts[0]).toBe(attempts[1]);
    await expect(attempts[0]).rejects.toThrow('ECONNREFUSED');
    const next = connection.connect();
    expect(next).not.toBe(attempts[0]);
    await expect(next).rejects.toThrow('ECONNREFUSED');
  });
});
