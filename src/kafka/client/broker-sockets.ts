import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/** How soon a peer that is gone without a word is looked for. */
const keepAliveMs = 15_000;

/** Why sockets of a disposed client are closed, or not opened: it stands in all that kafkajs says of that. */
export const clientClosed = 'the Kafka client is closed';

/**
 * The sockets of one Kafka client. kafkajs can leave some open after its disconnect: disposing this destroys them, and
 * lets it open no more.
 */
export class BrokerSockets implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #isTls: boolean;
  #isDisposed = false;

  constructor(transport: 'clear' | 'tls') {
    this.#isTls = transport === 'tls';
  }

  /** What kafkajs opens a socket with; it passes `ssl` as it was given it. */
  readonly open: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (this.#isDisposed) throw new Error(clientClosed);
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

  /** With an error: kafkajs does not hear of `close` alone, and would look for late answers ten times a second, for ever. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const socket of this.#sockets) socket.destroy(new Error(clientClosed));
  }
}
