import { deliveryIdHeader } from './messages.ts';

export interface RequestRead {
  readonly deliveryId: string;
  readonly certificateId: string;
}

const headEnd = '\r\n\r\n';

/**
 * Splits the bytes of one HTTP/1.1 connection into requests. It understands only the requests that the service sends.
 */
export class RequestReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** Returns the requests that are complete with these bytes. */
  take(chunk: Buffer): readonly RequestRead[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const read: RequestRead[] = [];
    for (let one = this.#next(); one !== undefined; one = this.#next()) read.push(one);
    return read;
  }

  #next(): RequestRead | undefined {
    const bodyStart = this.#bytes.indexOf(headEnd) + headEnd.length;
    if (bodyStart < headEnd.length) return undefined;
    const head = this.#bytes.toString('latin1', 0, bodyStart);
    const end = bodyStart + Number(headerOf(head, 'content-length'));
    if (this.#bytes.length < end) return undefined;
    const body: unknown = JSON.parse(this.#bytes.toString('utf8', bodyStart, end));
    this.#bytes = this.#bytes.subarray(end);
    return { deliveryId: headerOf(head, deliveryIdHeader), certificateId: idOf(body) };
  }
}

function headerOf(head: string, name: string): string {
  const value = new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
  if (value === undefined) throw new Error(`A request has no ${name}.`);
  return value;
}

function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && '_id' in body) return String(body._id);
  throw new Error('The body of a request is not a certificate.');
}
