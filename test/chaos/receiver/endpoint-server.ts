import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Behaviour, Setup } from './messages.ts';
import { RequestReader, type RequestRead } from './request-reader.ts';

type Tell = (request: RequestRead, accepted: boolean) => void;

interface DoorOptions extends Omit<Setup, 'ports'> {
  readonly port: number;
  /** Called for each request, at once if it gets no answer, and otherwise when that leaves. */
  readonly tell: Tell;
}

/** One port and how it behaves at present; connections that are open are met by the new behaviour too. */
export class Door {
  readonly #options: DoorOptions;
  readonly #entrance: Server;
  readonly #sockets = new Set<Socket>();
  readonly #refused = new Set<string>();
  #behaviour: Behaviour = 'healthy';

  constructor(options: DoorOptions) {
    this.#options = options;
    const { certificate, key } = options;
    const tls = createTlsServer({ cert: certificate, key }, (socket) => this.#serve(socket));
    tls.on('tlsClientError', ignore);
    this.#entrance = createServer((socket) => this.#receive(socket, (healthy) => tls.emit('connection', healthy)));
  }

  async open(): Promise<void> {
    this.#entrance.listen(this.#options.port, '127.0.0.1');
    await once(this.#entrance, 'listening');
  }

  async behave(behaviour: Behaviour): Promise<void> {
    this.#behaviour = behaviour;
    if (behaviour !== 'refuse' && !this.#entrance.listening) await this.open();
    if (!isBeforeRequests(behaviour)) return;
    // Otherwise connections that are open would go on as if nothing were wrong.
    for (const socket of this.#sockets) socket.destroy();
    if (behaviour === 'refuse') this.#entrance.close();
  }

  #receive(socket: Socket, greet: (socket: Socket) => void): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', ignore);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#behaviour === 'hang_before_tls') socket.resume();
    else if (this.#behaviour === 'hang_in_tls') socket.once('data', () => void socket.write(beginningOfServerHello));
    else greet(socket);
  }

  #serve(socket: TLSSocket): void {
    const reader = new RequestReader();
    socket.on('error', ignore);
    socket.on('data', (chunk: Buffer) => {
      for (const request of reader.take(chunk)) this.#answer(socket, request);
    });
  }

  #answer(socket: TLSSocket, request: RequestRead): void {
    const { tell, answerAfterMs } = this.#options;
    const behaviour = this.#behaviourFor(request);
    if (behaviour === 'reset') socket.destroy();
    const answer = answers[behaviour];
    if (answer === undefined) return tell(request, false);
    setTimeout(() => {
      // A connection that was broken off before its answer has accepted nothing.
      tell(request, answer.accepts && socket.writable);
      socket.write(answer.bytes);
    }, answerAfterMs);
  }

  #behaviourFor({ deliveryId }: RequestRead): Behaviour {
    if (this.#behaviour !== 'fail_first') return this.#behaviour;
    if (this.#refused.has(deliveryId)) return 'healthy';
    this.#refused.add(deliveryId);
    return 'error';
  }
}

interface Answer {
  readonly bytes: string;
  /** Whether it has a 2xx head, which is all that counts. */
  readonly accepts: boolean;
}

/** Nothing is written by those that are not here. */
const answers: Readonly<Partial<Record<Behaviour, Answer>>> = {
  healthy: { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', accepts: true },
  error: { bytes: 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', accepts: false },
  garbage: { bytes: '\u0000\u0001 this is no protocol \r\n\r\n', accepts: false },
  hang_in_head: { bytes: 'HTTP/1.1 200 OK\r\nContent-Le', accepts: false },
  hang_in_body: { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', accepts: true },
};

/** RFC 8446, 5.1: a handshake record of 122 bytes is announced, and two of them come. */
const beginningOfServerHello = Buffer.of(0x16, 0x03, 0x03, 0x00, 0x7a, 0x02, 0x00);

function isBeforeRequests(behaviour: Behaviour): boolean {
  return behaviour === 'refuse' || behaviour === 'hang_before_tls' || behaviour === 'hang_in_tls';
}

/** Whoever is killed breaks off its connections: that is what all this is about. */
function ignore(): void {}
