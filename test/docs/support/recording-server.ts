import { once } from 'node:events';
import { createServer, type Server } from 'node:tls';
import type { Identity } from '../../support/tls/authority.ts';
import { portOf } from '../../support/endpoints/endpoint.ts';

/** Records all bytes that arrive over TLS, and answers 204 once per connection. */
class RecordingServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #chunks: Buffer[] = [];

  /** Use `startRecordingServer`. */
  constructor({ certificate, key }: Identity) {
    this.#server = createServer({ cert: certificate, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => this.#chunks.push(chunk));
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    });
  }

  get port(): number {
    return portOf(this.#server);
  }

  get received(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export async function startRecordingServer(identity: Identity): Promise<RecordingServer> {
  const server = new RecordingServer(identity);
  await server.listen();
  return server;
}
