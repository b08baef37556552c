import { CodedError } from '../request-error.ts';

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

/** A response head as a lenient reader understands it. */
export type ParsedHead =
  /** All readers of HTTP/1.1 understand it in the same way. */
  | { readonly kind: 'regular'; readonly status: number }
  /** Only lenient readers understand it, so the end of its body is uncertain. */
  | {
      readonly kind: 'irregular';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly date: string | undefined;
    }
  | { readonly kind: 'refused'; readonly fault: HeadFault };

/** The reasons to refuse a response head. Lenient readers refuse it for them too. */
export type HeadFault =
  'NO_STATUS_LINE' | 'SWITCHED_PROTOCOLS' | 'NUL_IN_HEAD' | 'LINE_WITHOUT_COLON' | 'BAD_CONTENT_LENGTH';

/**
 * Parses a response head, from its status line to its empty line, as leniently as curl. Lines may end with a bare LF, be
 * folded, have spaces before the colon, hold control characters, and contradict each other.
 */
export function parseHead(head: string): ParsedHead {
  const status = statusOf(head);
  if (status === undefined) return refused('NO_STATUS_LINE');
  if (status === 101) return refused('SWITCHED_PROTOCOLS');
  return isRegular(head) ? { kind: 'regular', status } : parseIrregular(head, status);
}

/** Servers that translate from a newer version sometimes keep its name. */
const statusLine = /^HTTP\/(?:1\.[01]|[23]) +[1-9]\d\d(?!\d)/i;

function statusOf(head: string): number | undefined {
  if (!statusLine.test(head)) return undefined;
  // The first space of a status line comes right after the version. `parseInt` skips spaces, and stops behind the digits.
  return Number.parseInt(head.slice(head.indexOf(' ')), 10);
}

/** The longest head that undici takes. */
const longestRegular = 16 * 1024;

/** A head as RFC 9112 defines it. No two parts of the expression match the same text, so it takes linear time. */
const regular = /^HTTP\/1\.[01] \d{3}(?: [\t -~\x80-\xff]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*\r\n)*\r\n$/;

/** The fields that say where the body ends, and the only values that leave no doubt. */
const bodyField = /\n(?:content-length|transfer-encoding):/i;
const certainBodyField = /\n(?:content-length:[ \t]*\d{1,15}|transfer-encoding:[ \t]*chunked)[ \t]*\r/i;

function isRegular(head: string): boolean {
  if (head.length > longestRegular || !regular.test(head)) return false;
  const first = head.search(bodyField);
  if (first === -1) return true;
  return head.slice(first + 1).search(bodyField) === -1 && certainBodyField.test(head);
}

function parseIrregular(head: string, status: number): ParsedHead {
  if (head.includes('\0')) return refused('NUL_IN_HEAD');
  const [, ...lines] = head
    .trimEnd()
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  if (lines.some((line) => !line.includes(':'))) return refused('LINE_WITHOUT_COLON');
  const fields = lines.map(nameAndValue);
  // A response with status 204 has no body, so its length does not matter.
  const isBadLength = fields.some(([name, value]) => name === 'content-length' && !/^\d/.test(value));
  if (isBadLength && status !== 204) return refused('BAD_CONTENT_LENGTH');
  const first = (wanted: string): string | undefined => fields.find(([name]) => name === wanted)?.[1];
  return { kind: 'irregular', status, retryAfter: first('retry-after'), date: first('date') };
}

function nameAndValue(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

function refused(fault: HeadFault): ParsedHead {
  return { kind: 'refused', fault };
}

const [lf, cr] = [0x0a, 0x0d];
const prefix = Buffer.from('HTTP/');
const lowerPrefix = Buffer.from('http/');

/**
 * Bytes of a response until its head is whole. A head that comes in one piece is not copied. Each byte takes constant time,
 * however small the pieces are, so that an endpoint can't keep us busy with many.
 */
export class UnfinishedHead {
  #store: Buffer = Buffer.alloc(0);
  /** The bytes are those of the store from `#start` to `#end`. */
  #start = 0;
  #end = 0;
  /** True if the store is not a received piece, so that more can be written behind `#end`. */
  #isOwn = false;
  /** The number of bytes within which no head ends. */
  #scanned = 0;

  get bytes(): Buffer {
    const isWhole = this.#start === 0 && this.#end === this.#store.length;
    return isWhole ? this.#store : this.#store.subarray(this.#start, this.#end);
  }

  /** The text up to the end of the last line that is whole. */
  get wholeLines(): string {
    const { bytes } = this;
    return bytes.toString('latin1', 0, bytes.lastIndexOf(lf) + 1);
  }

  /** False once the bytes can't be the beginning of a response. */
  get mayBeResponse(): boolean {
    const length = Math.min(this.#end - this.#start, prefix.length);
    for (let at = 0; at < length; at += 1) {
      const byte = this.#store[this.#start + at];
      if (byte !== prefix[at] && byte !== lowerPrefix[at]) return false;
    }
    return true;
  }

  clear(): void {
    this.drop(this.#end - this.#start);
  }

  append(piece: Buffer): void {
    if (this.#start === this.#end) this.#use(piece, piece.length, false);
    else this.#join(piece);
    if (this.#scanned === 0) this.#skipEmptyLines();
  }

  /** Removes the first bytes, and empty lines after them. */
  drop(length: number): void {
    this.#start += length;
    this.#scanned = 0;
    this.#skipEmptyLines();
  }

  /** Returns the text up to the first empty line, and with it. Undefined before that has come. */
  head(): string | undefined {
    const bytes = this.bytes;
    for (let at = bytes.indexOf(lf, this.#scanned); at !== -1; at = bytes.indexOf(lf, at + 1)) {
      this.#scanned = at;
      const next = bytes[at + 1] === cr ? at + 2 : at + 1;
      if (bytes[next] === lf) return bytes.toString('latin1', 0, next + 1);
      if (next >= bytes.length) return undefined;
    }
    this.#scanned = bytes.length;
    return undefined;
  }

  #join(piece: Buffer): void {
    if (!this.#isOwn || this.#end + piece.length > this.#store.length) {
      const bytes = this.bytes;
      const larger = Buffer.allocUnsafe(2 * (bytes.length + piece.length));
      bytes.copy(larger);
      this.#use(larger, bytes.length, true);
    }
    piece.copy(this.#store, this.#end);
    this.#end += piece.length;
  }

  #use(store: Buffer, length: number, isOwn: boolean): void {
    this.#store = store;
    this.#start = 0;
    this.#end = length;
    this.#isOwn = isOwn;
  }

  #skipEmptyLines(): void {
    while (this.#start < this.#end && isEmptyLine(this.#store[this.#start])) this.#start += 1;
  }
}

function isEmptyLine(byte: number | undefined): boolean {
  return byte === lf || byte === cr;
}
