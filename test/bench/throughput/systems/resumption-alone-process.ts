/** The limit for a new connection per delivery: connects to each endpoint twice, and resumes the TLS session the second time. */
import { once } from 'node:events';
import { connect, createSecureContext } from 'node:tls';
import { addressOf } from '../../endpoints.ts';
import { certificateOf } from '../certificates.ts';

export interface ResumptionSetup {
  readonly endpoints: number;
  /** Connections at a time. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint. The others differ in their address. */
  readonly url: string;
}

const { endpoints, inFlight, authority, url } = JSON.parse(process.argv[2] ?? '{}') as ResumptionSetup;
const { port, pathname } = new URL(url);
const secureContext = createSecureContext({ ca: authority });
const sessions = new Map<number, Buffer>();
let next = 0;

await Promise.all(Array.from({ length: inFlight }, postInTurn));

async function postInTurn(): Promise<void> {
  while (next < 2 * endpoints) {
    const number = next;
    next += 1;
    await post(number, number % endpoints);
  }
}

async function post(number: number, endpoint: number): Promise<void> {
  const host = addressOf(endpoint);
  const session = sessions.get(endpoint);
  const socket = connect({ host, port: Number(port), secureContext, ...(session === undefined ? {} : { session }) });
  socket.on('session', (fresh: Buffer) => sessions.set(endpoint, fresh));
  const body = certificateOf(number, endpoint);
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await once(socket, 'data');
  socket.destroy();
}
