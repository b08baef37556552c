import { CodedError } from '../request-error.ts';
import { parseHead, type ParsedHead } from './response-head.ts';
import { UnfinishedHead } from './unfinished-head.ts';

/** The most interim responses, such as `100 Continue`, before a final one. */
const maxInterim = 16;

/**
 * Reads the head of each response of a connection, and passes on what undici understands.
 *
 *     begin ──▶ head ── interim response: dropped ──▶ head ──▶ …
 *                │
 *                ├── regular head ────▶ passed on, with all that follows
 *                └── irregular head ──▶ a head that closes the connection is passed on, all that follows is dropped
 *
 * - An irregular head settles the delivery by its status. As the end of its body is uncertain, nothing that follows is
 *   read, and no other response comes on this connection.
 * - A head that ends with the connection is an irregular one, of the lines that are whole, as curl takes it.
 * - Interim responses are dropped however they are written and cut. undici refuses `100 Continue`, which a server may send
 *   unasked (RFC 9110, 15.2).
 * - Bytes that begin no response are refused at once. On a connection that was used before, they may belong to the
 *   response before.
 */
export class ResponseFilter {
  #state: 'head' | 'passing' | 'dropping' = 'passing';
  readonly #unfinished = new UnfinishedHead();
  #interim = 0;

  begin(): void {
    this.#state = 'head';
    this.#unfinished.clear();
    this.#interim = 0;
  }

  /** Returns what undici may read, undefined when more has to come, or why the connection must be closed. */
  filter(chunk: Buffer): Buffer | CodedError | undefined {
    if (this.#state === 'passing') return chunk;
    if (this.#state === 'dropping') return undefined;
    this.#unfinished.append(chunk);
    for (;;) {
      if (!this.#unfinished.mayBeResponse) return new CodedError('NO_STATUS_LINE');
      const text = this.#unfinished.head();
      if (text === undefined) return undefined;
      const head = parseHead(text);
      if (head.kind === 'refused') return new CodedError(head.fault);
      if (head.status >= 200) return this.#passOn(head);
      this.#unfinished.drop(text.length);
      this.#interim += 1;
      if (this.#interim > maxInterim) return new CodedError('TOO_MANY_INTERIM_RESPONSES');
    }
  }

  /** Returns what undici may still read when the connection has ended, or undefined. */
  end(): Buffer | undefined {
    if (this.#state !== 'head') return undefined;
    // A bare LF makes the head an irregular one.
    const head = parseHead(`${this.#unfinished.wholeLines}\n`);
    if (head.kind !== 'irregular' || head.status < 200) return undefined;
    this.#state = 'dropping';
    return closingHead(head);
  }

  #passOn(head: Exclude<ParsedHead, { readonly kind: 'refused' }>): Buffer {
    this.#state = head.kind === 'regular' ? 'passing' : 'dropping';
    return head.kind === 'regular' ? this.#unfinished.bytes : closingHead(head);
  }
}

/** Writes a head without a body. Values keep printable ASCII only, so that undici takes them. */
function closingHead({ status, retryAfter, date }: Extract<ParsedHead, { readonly kind: 'irregular' }>): Buffer {
  const fields = Object.entries({ 'retry-after': retryAfter, date }).map(([name, value]) =>
    value === undefined ? '' : `${name}: ${value.replaceAll(/[^ -~]/g, '')}\r\n`,
  );
  return Buffer.from(
    `HTTP/1.1 ${status} -\r\ncontent-length: 0\r\nconnection: close\r\n${fields.join('')}\r\n`,
    'latin1',
  );
}
