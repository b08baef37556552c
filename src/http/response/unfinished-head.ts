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
