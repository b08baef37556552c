import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ReceivedRequest } from './received-request.ts';

/** One request at an endpoint, and the means to answer it, well or badly. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  /** Bytes written here reach the client as they are, in front of and behind what `response` writes. */
  readonly tls: TLSSocket;
  /** The connection below TLS, for a reset. */
  readonly tcp: Socket;
  /** Runs later, unless the endpoint is closed by then. */
  readonly after: (ms: number, run: () => void) => void;
}

export type Answer = (exchange: Exchange) => void;

interface Extras {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A whole response, by default with the small JSON object that receivers commonly return. */
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

/** A response whose head alone exceeds that many bytes. */
export function largeHead(fillerBytes: number, code = 200): Answer {
  return status(code, { headers: { 'x-filler': 'x'.repeat(fillerBytes) } });
}

/** A response that announces the end of the connection. */
export function closing(code: number): Answer {
  return status(code, { headers: { connection: 'close' } });
}

/** A response that lets the client keep the connection, which then closes all the same. */
export function closingUnannounced(code: number): Answer {
  return (exchange) => {
    exchange.response.once('finish', () => exchange.tls.end());
    status(code)(exchange);
  };
}

/** Interim responses such as 100, 102 and 103, then the answer. */
export function afterInterim(codes: readonly number[], answer: Answer): Answer {
  return (exchange) => {
    for (const code of codes) exchange.tls.write(`HTTP/1.1 ${code} Interim\r\n\r\n`);
    answer(exchange);
  };
}

export function later(ms: number, answer: Answer): Answer {
  return (exchange) => exchange.after(ms, () => answer(exchange));
}

/** Silence, with the connection open. */
export function hang(): Answer {
  return () => undefined;
}

/** Half of a response head, then silence. */
export function hangInHead(): Answer {
  return bytes('HTTP/1.1 200 OK\r\nContent-Type: appl');
}

/** A head and a part of the body that it announces, then silence. */
export function hangInBody(code = 200): Answer {
  return bytes(partOfResponse(code));
}

/** A body without end: one chunk each time that long has passed. */
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

/** These bytes in place of a response, whatever they are; the connection stays open. */
export function bytes(raw: string | Buffer): Answer {
  return ({ tls }) => void tls.write(raw);
}

/** The connection ends in good order, without a byte of a response. */
export function disconnect(): Answer {
  return ({ tls }) => void tls.end();
}

/** The connection is reset (RST) without a byte of a response. */
export function reset(): Answer {
  return ({ tcp }) => void tcp.resetAndDestroy();
}

/** A head and a part of the body that it announces, then a reset. */
export function resetInBody(code = 200): Answer {
  return ({ tls, tcp }) => void tls.write(partOfResponse(code), () => tcp.resetAndDestroy());
}

/** Half of a response head, then a reset. */
export function resetInHead(): Answer {
  return ({ tls, tcp }) => void tls.write('HTTP/1.1 200 OK\r\nContent-Type: appl', () => tcp.resetAndDestroy());
}

function partOfResponse(code: number): string {
  return `HTTP/1.1 ${code} Partial\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"received":`;
}
