import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/** How soon a peer that is gone without a word is looked for. */
const keepAliveMs = 15_000;

/** The sockets of one Kafka client. kafkajs can leave some open after its disconnect: disposing this destroys them. */
export class BrokerSockets implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #isTls: boolean;

  constructor(transport: 'clear' | 'tls') {
    this.#isTls = transport === 'tls';
  }

  /** What kafkajs opens a socket with; it passes `ssl` as it was given it. */
  readonly open: ISocketFactory = ({ host, port, ssl, onConnect }) => {
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

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
