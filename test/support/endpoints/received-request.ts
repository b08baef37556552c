import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** A request as it was received, unchanged. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly path: string;
  /** Headers in their original order and spelling. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The arrival of the last byte, in epoch milliseconds. */
  readonly arrivedAt: number;
  /** The number of the connection, from 1. Equal numbers mean a reused connection. */
  readonly connection: number;
  readonly tls: {
    readonly version: string | null;
    /** The server name in the handshake (SNI); undefined when there was none. */
    readonly serverName: string | undefined;
    readonly resumed: boolean;
  };
  /** Returns the only header of that name, ignoring case; undefined for none or several. */
  header(name: string): string | undefined;
}

/** Reads the whole request. Resolves to undefined when the client disconnects early. */
export async function readRequest(
  message: IncomingMessage,
  tls: TLSSocket,
  connection: number,
): Promise<ReceivedRequest | undefined> {
  const body = await readBody(message);
  if (body === undefined) return undefined;
  const headers = pairs(message.rawHeaders);
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers,
    body,
    arrivedAt: Date.now(),
    connection,
    tls: {
      version: tls.getProtocol(),
      serverName: typeof tls.servername === 'string' ? tls.servername : undefined,
      resumed: tls.isSessionReused(),
    },
    header: (name) => only(headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()))?.[1],
  };
}

function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', () => resolve(undefined));
    message.on('close', () => resolve(undefined));
  });
}

function pairs(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ]);
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}
