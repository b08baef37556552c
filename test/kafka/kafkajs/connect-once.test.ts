import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { connectOnce } from '../../../src/kafka/kafkajs/connect-once.ts';
import type { Connection } from '../../../src/kafka/kafkajs/internals.ts';

const require = createRequire(import.meta.url);

type RealConnection = Connection & { disconnect(): Promise<boolean> };

const silent = (): void => undefined;

/** kafkajs's own class, with the repair on a class of its own so that the original stays as it is. */
function connectionTo(port: number, repair: (prototype: Connection) => void): RealConnection {
  const Original: new (options: object) => RealConnection = require('kafkajs/src/network/connection');
  const socketFactory: () => unknown = require('kafkajs/src/network/socketFactory');
  class Repaired extends Original {}
  repair(Repaired.prototype);
  const logger = { namespace: () => ({ debug: silent, info: silent, warn: silent, error: silent }) };
  const options = { host: '127.0.0.1', port, logger, socketFactory: socketFactory(), connectionTimeout: 5000 };
  return new Repaired({ ...options, requestTimeout: 5000 });
}

class CountingServer implements AsyncDisposable {
  readonly sockets: Socket[] = [];
  readonly #server: Server = createServer((socket) => this.sockets.push(socket.on('error', () => undefined)));

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('a connection to a broker', () => {
  it('is opened once for requests that find it closed at the same time', async () => {
    await using server = new CountingServer();
    const connection = connectionTo(await server.listen(), connectOnce);
    await Promise.all(Array.from({ length: 10 }, () => connection.connect()));
    // The server has accepted all there are once it has accepted one that came after them.
    const last = connectionTo(Number(Reflect.get(connection, 'port')), connectOnce);
    await last.connect();
    expect(server.sockets).toHaveLength(2);
    await connection.disconnect();
    await last.disconnect();
  });

  it('is tried again by the next request after it failed', async () => {
    await using server = new CountingServer();
    const port = await server.listen();
    await server[Symbol.asyncDispose]();
    const connection = connectionTo(port, connectOnce);
    const attempts = [connection.connect(), connection.connect()];
    expect(attempts[0]).toBe(attempts[1]);
    await expect(attempts[0]).rejects.toThrow('ECONNREFUSED');
    const next = connection.connect();
    expect(next).not.toBe(attempts[0]);
    await expect(next).rejects.toThrow('ECONNREFUSED');
  });
});
