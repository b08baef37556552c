import { connect, isIP, type Socket, isIPv6 } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/** Idle time in ms before TCP probes a peer. A broker that vanished without closing its connection is noticed by that. */
const keepAliveMs = 15_000;

/** The error message of sockets of a disposed client. kafkajs includes it in everything that it logs about them. */
export const clientClosed = 'the Kafka client is closed';

/**
 * The sockets of one Kafka client. kafkajs can leave some open after its disconnect. Disposing this destroys them, and
 * no more are opened.
 */
export class BrokerSockets implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #isTls: boolean;
  #isDisposed = false;

  constructor(transport: 'clear' | 'tls') {
    this.#isTls = transport === 'tls';
  }

  /** The `socketFactory` of kafkajs, which passes `ssl` on unchanged. */
  readonly open: ISocketFactory = ({ host: readHost, port, ssl, onConnect }) => {
    if (this.#isDisposed) throw new Error(clientClosed);
    const host = seedHost(readHost);
    // Server name indication is for names only (RFC 6066, section 3).
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = this.#isTls
      ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
      : connect({ host, port }, onConnect);
    socket.setKeepAlive(true, keepAliveMs);
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };

  /**
   * Destroys the sockets with an error. kafkajs ignores a `close` without one, and would then look for late answers each
   * second, for ever.
   */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const socket of this.#sockets) socket.destroy(new Error(clientClosed));
  }
}

/**
 * Returns `host:port` in a form that kafkajs can read, for example `[::1]:9092` as `[--1]:9092`. It ends the host at the
 * first colon, and no host name has brackets. Only the addresses that a client is created with need this. Brokers report
 * host and port apart.
 */
export function seedAddress(broker: string): string {
  const [, address, port] = /^\[(.+)\]:(\d+)$/v.exec(broker) ?? [];
  return address === undefined ? broker : `[${address.replaceAll(':', '-')}]:${port}`;
}

/** Returns the host to connect to, for a host that kafkajs has read from a seed address or got from a broker. */
export function seedHost(host: string): string {
  const address = /^\[(.+)\]$/v.exec(host)?.[1]?.replaceAll('-', ':');
  return address !== undefined && isIPv6(address) ? address : host;
}
