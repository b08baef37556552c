const headEnd = '\r\n\r\n';
const lengthHeader = 'content-length: ';
const idStart = '{"_id":"';
const longestId = 64;

/** Splits the bytes of one connection into requests. It parses as little as possible, to cost less than any sender. */
export class RequestSplitter {
  #bytes: Buffer = Buffer.alloc(0);

  /** Returns the certificate ids of the requests that end in this chunk. */
  take(chunk: Buffer): readonly string[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const ids: string[] = [];
    for (let id = this.#next(); id !== undefined; id = this.#next()) ids.push(id);
    return ids;
  }

  #next(): string | undefined {
    const bytes = this.#bytes;
    const bodyStart = bytes.indexOf(headEnd) + headEnd.length;
    if (bodyStart < headEnd.length) return undefined;
    const end = bodyStart + lengthOf(bytes.toString('latin1', 0, bodyStart).toLowerCase());
    if (bytes.length < end) return undefined;
    this.#bytes = bytes.length === end ? Buffer.alloc(0) : bytes.subarray(end);
    return idOf(bytes.toString('latin1', bodyStart, Math.min(end, bodyStart + longestId)));
  }
}

function lengthOf(head: string): number {
  const at = head.indexOf(lengthHeader);
  if (at < 0) throw new Error(`A request has no Content-Length: ${head}`);
  return Number.parseInt(head.slice(at + lengthHeader.length), 10);
}

function idOf(body: string): string {
  if (!body.startsWith(idStart)) throw new Error(`A request has no certificate in its body: ${body}`);
  return body.slice(idStart.length, body.indexOf('"', idStart.length));
}
