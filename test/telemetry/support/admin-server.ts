import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { startAdminServer, type AdminServer } from '../../../src/telemetry/admin/admin-server.ts';
import { createAdminEvents } from '../../../src/telemetry/events/events.ts';
import { captureLog, type CapturedLog } from './log.ts';
import { someMetrics } from './metrics.ts';
import { aStatus } from './status.ts';

type Overrides = Partial<Parameters<typeof startAdminServer>[0]>;

export async function anAdminServer(
  overrides: Overrides = {},
  { logger }: CapturedLog = captureLog(),
): Promise<AdminServer> {
  const metrics = someMetrics();
  return startAdminServer({
    host: '127.0.0.1',
    port: 0,
    instance: 'worker-1-5f2c',
    metrics,
    liveness: () => [],
    readiness: () => [],
    endpoints: () => [],
    status: () => aStatus(),
    events: createAdminEvents({ logger, metrics, warnSampled: () => undefined }),
    ...overrides,
  });
}

/** A connection to an admin server. Disposal closes it. */
export class AdminClient implements Disposable {
  readonly socket: Socket;
  /** Resolves to everything that was received, once the connection is closed by either side. */
  readonly closed: Promise<string>;

  constructor({ port }: AdminServer, options: Partial<NetConnectOpts> = {}) {
    this.socket = connect({ host: '127.0.0.1', port, ...options });
    this.socket.on('error', () => undefined);
    let received = '';
    this.socket.on('data', (chunk: Buffer) => void (received += chunk.toString('latin1')));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.socket.on('close', () => resolve(received));
    this.closed = promise;
  }

  get isOpen(): boolean {
    return !this.socket.closed;
  }

  /** Sends a request and resolves to the first part of its answer. */
  async request(path: string): Promise<string> {
    const answer = once(this.socket, 'data');
    this.socket.write(requestOf(path));
    const [chunk] = (await answer) as [Buffer];
    return chunk.toString('latin1');
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

export function requestOf(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;
}
