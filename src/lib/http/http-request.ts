import { once } from 'node:events';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { getCACertificates } from 'node:tls';

interface GetOptions {
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

/** Bounds the memory of one answer. No schema and no list of endpoints has this size. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Thrown when the answer is longer than any that is expected. */
class LongAnswerError extends Error {
  override readonly name = 'LongAnswerError';
}

/** Sends one GET request on a new connection, because requests are rare. Redirects are not followed. */
export async function get(url: URL, options: GetOptions): Promise<HttpResponse> {
  const { headers = {}, certificateAuthorities = [] } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const common = { headers, signal, agent: false };
  const ca = [...getCACertificates('default'), ...certificateAuthorities];
  const request = url.protocol === 'https:' ? requestSecure(url, { ...common, ca }) : requestPlain(url, common);
  // An error after the response head is emitted by the response too, which is handled below.
  request.on('error', () => undefined);
  request.end();
  const [response]: readonly IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new TypeError('a response event without a response');
  return { status: response.statusCode ?? 0, body: await readBody(response) };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
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
