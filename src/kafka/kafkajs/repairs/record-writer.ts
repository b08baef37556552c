/** The value of a record's key, value or header. */
export type Field = Buffer | string | null | undefined;

/** Bytes of the longest varint. Seven bits a byte are enough for all safe integers. */
const longestVarint = 8;
/** Bytes of the longest length, which has 32 bits. */
const longestLength = 5;

/** Returns an upper bound of the bytes of a field with its length. */
export function roomFor(field: Field): number {
  return longestLength + lengthOf(field);
}

/** Writes a record into one buffer. Room for the record's length is kept at the beginning. */
export class RecordWriter {
  readonly #buffer: Buffer;
  #position = longestLength;

  /** Allocates the longest form of each number, and `room` bytes for everything else. */
  constructor({ numbers, room }: { readonly numbers: number; readonly room: number }) {
    this.#buffer = Buffer.allocUnsafe(longestLength + numbers * longestVarint + room);
  }

  byte(value: number): this {
    this.#buffer[this.#position] = value;
    this.#position += 1;
    return this;
  }

  /** Writes a signed integer: zigzag, then base 128 with the lowest digit first. */
  varint(value: number): this {
    let remaining = value < 0 ? -2 * value - 1 : 2 * value;
    for (; remaining >= 128; remaining = Math.floor(remaining / 128)) this.byte((remaining % 128) + 128);
    return this.byte(remaining);
  }

  /** Writes the field's length and the field. A missing field has length -1. */
  field(value: Field): this {
    if (value === null || value === undefined) return this.varint(-1);
    this.varint(lengthOf(value));
    this.#position +=
      typeof value === 'string' ? this.#buffer.write(value, this.#position) : value.copy(this.#buffer, this.#position);
    return this;
  }

  /** Returns the record with its length in front. */
  finish(): Buffer {
    const end = this.#position;
    this.#position = 0;
    this.varint(end - longestLength);
    const start = longestLength - this.#position;
    this.#buffer.copyWithin(start, 0, this.#position);
    return this.#buffer.subarray(start, end);
  }
}

function lengthOf(field: Field): number {
  return field === null || field === undefined ? 0 : Buffer.byteLength(field);
}
