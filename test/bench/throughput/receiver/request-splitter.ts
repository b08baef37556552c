const headEnd = '\r\n\r\n';
const lengthHeader = 'content-length: ';
const idStart = '{"_id":"';
const longestId = 64;

/** Takes the bytes of one connection apart into requests, at the least cost: senders are to be measured, not this. */
export class RequestSplitter {
  #bytes: Buffer = Buffer.alloc(0);

  /** The certificates' ids of the requests that end in these bytes. */
  take(chunk: Buffer): readonly string[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const ids: string[] = [];
    for (let id = this.#cut(); id !== undefined; id = this.#cut()) ids.push(id);
    return ids;
  }

  #cut(): string | undefined {
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
  if (at < 0) throw new Error(`A request came without a length: ${head}`);
  return Number.parseInt(head.slice(at + lengthHeader.length), 10);
}

function idOf(body: string): string {
  if (!body.startsWith(idStart)) throw new Error(`A request came whose body is no certificate: ${body}`);
  return body.slice(idStart.length, body.indexOf('"', idStart.length));
}
