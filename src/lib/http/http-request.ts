import { once } from 'node:events';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { getCACertificates } from 'node:tls';

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM certificates, in addition to those that Node trusts. */
  readonly certificateAuthorities?: readonly string[];
  /** The limit of the whole exchange, from the DNS lookup to the last byte. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Bounds the memory of one answer to a GET. No schema and no list of endpoints has this size. */
const maxDocumentBytes = 4 * 1024 * 1024;

/** Thrown when the answer is longer than any that is expected. */
class LongAnswerError extends Error {
  override readonly name = 'LongAnswerError';
}

/** Sends one GET request on a new connection, because requests are rare. Redirects are not followed. */
export async function get(url: URL, options: RequestOptions): Promise<HttpResponse> {
  return exchange(url, { ...options, method: 'GET', maxBodyBytes: maxDocumentBytes });
}

/** Sends one POST request on a new connection. Redirects are not followed, so the body goes nowhere else. */
export async function post(
  url: URL,
  options: RequestOptions & { readonly body: string; readonly maxBodyBytes: number },
): Promise<HttpResponse> {
  return exchange(url, { ...options, method: 'POST' });
}

interface ExchangeOptions extends RequestOptions {
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly maxBodyBytes: number;
}

async function exchange(url: URL, options: ExchangeOptions): Promise<HttpResponse> {
  const { method, headers = {}, certificateAuthorities = [], body, maxBodyBytes } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const common = { method, headers, signal, agent: false };
  const ca = [...getCACertificates('default'), ...certificateAuthorities];
  const request = url.protocol === 'https:' ? requestSecure(url, { ...common, ca }) : requestPlain(url, common);
  // An error after the response head is emitted by the response too, which is handled below.
  request.on('error', () => undefined);
  request.end(body);
  const [response]: readonly IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new TypeError('a response event without a response');
  return { status: response.statusCode ?? 0, body: await readBody(response, maxBodyBytes) };
}

async function readBody(response: IncomingMessage, maxBodyBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    // Throwing out of the loop destroys the response.
    if (bytes > maxBodyBytes) throw new LongAnswerError(`the answer has more than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
