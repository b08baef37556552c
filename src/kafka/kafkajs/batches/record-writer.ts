/** What a field of a record may hold. */
export type Field = Buffer | string | null | undefined;

/** Seven bits a byte: enough for all integers that a number holds. */
const longestVarint = 8;
const longestLength = 5;

/** Room for a field with its length, at the most. */
export function roomFor(field: Field): number {
  return longestLength + lengthOf(field);
}

/** Writes a record into one buffer, behind room for its length. */
export class RecordWriter {
  readonly #buffer: Buffer;
  #at = longestLength;

  /** Of so many numbers, and of fields for which this room is enough. */
  constructor({ numbers, room }: { readonly numbers: number; readonly room: number }) {
    this.#buffer = Buffer.allocUnsafe(longestLength + numbers * longestVarint + room);
  }

  byte(value: number): this {
    this.#buffer[this.#at] = value;
    this.#at += 1;
    return this;
  }

  /** Signed: zigzag, then base 128 from the lowest digit on. */
  varint(value: number): this {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) + 128);
    return this.byte(rest);
  }

  /** With its length before it, which is -1 when there is none. */
  field(value: Field): this {
    if (value === null || value === undefined) return this.varint(-1);
    this.varint(lengthOf(value));
    this.#at += typeof value === 'string' ? this.#buffer.write(value, this.#at) : value.copy(this.#buffer, this.#at);
    return this;
  }

  /** The whole record, its length before it. */
  finish(): Buffer {
    const end = this.#at;
    this.#at = 0;
    this.varint(end - longestLength);
    const start = longestLength - this.#at;
    this.#buffer.copyWithin(start, 0, this.#at);
    return this.#buffer.subarray(start, end);
  }
}

function lengthOf(field: Field): number {
  return field === null || field === undefined ? 0 : Buffer.byteLength(field);
}
