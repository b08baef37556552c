import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ReceivedRequest } from './received-request.ts';

/** One request at an endpoint, with everything needed for a correct or faulty answer. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  /** The TLS connection. Bytes written here reach the client unchanged, before and after those of `response`. */
  readonly tls: TLSSocket;
  /** The TCP connection, for a reset. */
  readonly tcp: Socket;
  /** Runs a function later, unless the endpoint is closed by then. */
  readonly after: (ms: number, run: () => void) => void;
}

export type Answer = (exchange: Exchange) => void;

interface Extras {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Answers with a complete response. The default body is a small JSON object, as from most receivers. */
export function status(code: number, { headers = {}, body }: Extras = {}): Answer {
  const content = body ?? (code === 204 || code === 304 ? '' : JSON.stringify({ received: code < 300 }));
  return ({ response }) => void response.writeHead(code, headers).end(content);
}

export function retryAfter(code: number, value: string): Answer {
  return status(code, { headers: { 'retry-after': value } });
}

export function redirect(location: string, code = 302): Answer {
  return status(code, { headers: { location } });
}

/** Answers with a response whose head exceeds that number of bytes. */
export function largeHead(fillerBytes: number, code = 200): Answer {
  return status(code, { headers: { 'x-filler': 'x'.repeat(fillerBytes) } });
}

/** Answers with `Connection: close`. */
export function closing(code: number): Answer {
  return status(code, { headers: { connection: 'close' } });
}

/** Answers with keep-alive, but then closes the connection. */
export function closingUnannounced(code: number): Answer {
  return (exchange) => {
    exchange.response.once('finish', () => exchange.tls.end());
    status(code)(exchange);
  };
}

/** Sends interim responses such as 100, 102 and 103, then the answer. */
export function afterInterim(codes: readonly number[], answer: Answer): Answer {
  return (exchange) => {
    for (const code of codes) exchange.tls.write(`HTTP/1.1 ${code} Interim\r\n\r\n`);
    answer(exchange);
  };
}

export function later(ms: number, answer: Answer): Answer {
  return (exchange) => exchange.after(ms, () => answer(exchange));
}

/** An answer that is held back until it is released. Leaving the scope releases it too, so that a service can stop. */
export interface HeldAnswer extends Disposable {
  readonly answer: Answer;
  release(): void;
}

/** Holds an answer back. Once it is released, all requests get it, also later ones. */
export function held(answer: Answer): HeldAnswer {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const release = (): void => resolve(undefined);
  return {
    answer: (exchange) => void promise.then(() => answer(exchange)),
    release,
    [Symbol.dispose]: release,
  };
}

/** Sends nothing and keeps the connection open. */
export function hang(): Answer {
  return () => undefined;
}

/** Sends half of a response head, then nothing. */
export function hangInHead(): Answer {
  return bytes('HTTP/1.1 200 OK\r\nContent-Type: appl');
}

/** Sends a head and part of the announced body, then nothing. */
export function hangInBody(code = 200): Answer {
  return bytes(partOfResponse(code));
}

/** Sends an endless body: one chunk every `everyMs`. */
export function drip({ code = 200, everyMs = 20, chunk = '.' } = {}): Answer {
  return ({ response, after }) => {
    response.writeHead(code);
    const next = (): void => {
      if (response.destroyed || response.closed) return;
      response.write(chunk);
      after(everyMs, next);
    };
    next();
  };
}

/** Sends these bytes in place of a response. The connection stays open. */
export function bytes(raw: string | Buffer): Answer {
  return ({ tls }) => void tls.write(raw);
}

/** Closes the connection without a response. */
export function disconnect(): Answer {
  return ({ tls }) => void tls.end();
}

/** Resets the connection (RST) without a response. */
export function reset(): Answer {
  return ({ tcp }) => void tcp.resetAndDestroy();
}

/** Sends a head and part of the announced body, then resets the connection. */
export function resetInBody(code = 200): Answer {
  return ({ tls, tcp }) => void tls.write(partOfResponse(code), () => tcp.resetAndDestroy());
}

/** Sends half of a response head, then resets the connection. */
export function resetInHead(): Answer {
  return ({ tls, tcp }) => void tls.write('HTTP/1.1 200 OK\r\nContent-Type: appl', () => tcp.resetAndDestroy());
}

function partOfResponse(code: number): string {
  return `HTTP/1.1 ${code} Partial\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"received":`;
}
