/** The interim responses that an endpoint may send before a response. */
const maxInterim = 16;

/** The longest head that is kept until its end arrives. The reader of responses refuses longer ones. */
const maxHeadBytes = 16 * 1024;

/**
 * Drops interim responses from what an endpoint sends, however they are cut.
 *
 * A server may send `100 Continue` to a client that did not ask for it (RFC 9110, 15.2), as RFC 2616 demanded for every
 * POST. The client `undici` closes the connection then, after the endpoint has taken the delivery. It skips the others
 * without a limit. `101 Switching Protocols` is no interim response: HTTP ends with it.
 *
 *     begin ──▶ dropping ──▶ the first byte of another head ──▶ passing, until `begin`
 */
export class InterimResponses {
  #isPassing = true;
  #dropped = 0;
  /** The part of a head that has no end yet. */
  #incomplete: Buffer | undefined;

  /** True once an endpoint has sent more than 16. Nothing is passed on then. */
  get areTooMany(): boolean {
    return this.#dropped > maxInterim;
  }

  /** Begins with the responses to the next request. */
  begin(): void {
    this.#isPassing = false;
    this.#dropped = 0;
    this.#incomplete = undefined;
  }

  /** Returns the part of the chunk that is not of interim responses. It is empty while that is not known yet. */
  drop(chunk: Buffer): Buffer {
    if (this.#isPassing) return chunk;
    let remaining = this.#incomplete === undefined ? chunk : Buffer.concat([this.#incomplete, chunk]);
    this.#incomplete = undefined;
    while (remaining.length > 0 && !this.areTooMany) {
      if (!mayBeInterim(remaining)) return this.#pass(remaining);
      const end = endOfHead(remaining);
      if (end === -1) return remaining.length > maxHeadBytes ? this.#pass(remaining) : this.#keep(remaining);
      remaining = remaining.subarray(end);
      this.#dropped += 1;
    }
    return nothing;
  }

  #pass(remaining: Buffer): Buffer {
    this.#isPassing = true;
    return remaining;
  }

  #keep(head: Buffer): Buffer {
    this.#incomplete = head;
    return nothing;
  }
}

const nothing = Buffer.alloc(0);
const statusLineLength = 'HTTP/1.1 1xx'.length;
const interimStatusLine = /^HTTP\/1\.[01] 1(?!01)\d\d$/;
/** Completes the beginning of a status line, so that one expression decides about all lengths. */
const anyInterimStatusLine = 'HTTP/1.1 100';

/** Returns whether the bytes are, or may become, those of an interim response. */
function mayBeInterim(bytes: Buffer): boolean {
  const line = bytes.toString('latin1', 0, statusLineLength);
  return interimStatusLine.test(line + anyInterimStatusLine.slice(line.length));
}

/** Returns the index behind the empty line that ends a head, or -1. */
function endOfHead(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  return end === -1 ? -1 : end + 4;
}
