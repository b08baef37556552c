import { once } from 'node:events';
import { createServer, type TlsOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { BrokerSockets } from '../../../src/kafka/kafkajs/broker-sockets.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { portOf } from '../../support/endpoints/endpoint.ts';
import { hasIpv6, startIpv6Relay } from '../../support/endpoints/ipv6-relay.ts';
import { startListener } from '../../support/endpoints/listeners.ts';

const noSsl = {};

async function startTlsServer(options: TlsOptions) {
  const names: unknown[] = [];
  const server = createServer(options, (socket) => {
    names.push(socket.servername);
    socket.on('error', () => undefined).resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: portOf(server),
    names,
    server,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the sockets of a Kafka client', () => {
  it('are destroyed when they are disposed, and no more are opened', async () => {
    await using listener = await startListener();
    const sockets = new BrokerSockets('clear');
    const opened = Promise.withResolvers<void>();
    const address = { host: '127.0.0.1', port: listener.port, ssl: noSsl };
    const socket = sockets.open({ ...address, onConnect: opened.resolve });
    await opened.promise;
    const failed = once(socket, 'error');
    sockets[Symbol.dispose]();
    await expect(failed).resolves.toEqual([new Error('the Kafka client is closed')]);
    expect(socket.destroyed).toBe(true);
    expect(() => sockets.open({ ...address, onConnect: opened.resolve })).toThrow('the Kafka client is closed');
    expect(listener.connectionsOpened).toBe(1);
  });

  it.each([
    { host: 'localhost', expected: 'localhost' },
    { host: '127.0.0.1', expected: false },
  ])('send a server name to a broker only if its host is a name: $host', async ({ host, expected }) => {
    const authority = createAuthority();
    const { certificate, key } = authority.issue();
    await using server = await startTlsServer({ cert: certificate, key });
    using sockets = new BrokerSockets('tls');
    const opened = Promise.withResolvers<void>();
    const ssl = { ca: authority.certificate };
    const socket = sockets.open({ host, port: server.port, ssl, onConnect: opened.resolve });
    socket.on('error', () => undefined);
    await Promise.all([opened.promise, once(server.server, 'secureConnection')]);
    expect(server.names).toEqual([expected]);
  });

  it.skipIf(!hasIpv6)('verify the certificate of a broker for its IPv6 address, without a server name', async () => {
    const authority = createAuthority();
    const { certificate, key } = authority.issue({ names: ['::1'] });
    await using server = await startTlsServer({ cert: certificate, key });
    await using relay = await startIpv6Relay(server.port);
    using sockets = new BrokerSockets('tls');
    const opened = Promise.withResolvers<void>();
    const ssl = { ca: authority.certificate };
    const socket = sockets.open({ host: '[--1]', port: relay.port, ssl, onConnect: opened.resolve });
    socket.on('error', opened.reject);
    await Promise.all([opened.promise, once(server.server, 'secureConnection')]);
    expect(server.names).toEqual([false]);
  });

  it('trust only the configured authority', async () => {
    const { certificate, key } = createAuthority().issue();
    await using server = await startTlsServer({ cert: certificate, key });
    using sockets = new BrokerSockets('tls');
    const ssl = { ca: createAuthority().certificate };
    const socket = sockets.open({ host: 'localhost', port: server.port, ssl, onConnect: () => undefined });
    const [error] = await once(socket, 'error').catch((reason: unknown) => [reason]);
    expect(error).toBeInstanceOf(Error);
  });
});
