import { utf8Text } from '../plain.ts';
import { ReadingLimits } from './reading-limits.ts';

/** Thrown when bytes do not match their schema. The message quotes none of them. */
export class AvroContradictionError extends Error {
  override readonly name = 'AvroContradictionError';
}

/** Bytes of the longest 64-bit integer. */
const longestNumber = 10;

/**
 * Reads Avro's binary encoding from the first byte to the last. Declared lengths are bounded by the bytes that are there,
 * and counts by the limits of a record. Otherwise five bytes could declare 4,000,000,000 elements and exhaust the memory.
 */
export class AvroCursor {
  readonly limits = new ReadingLimits();
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new AvroContradictionError('a boolean is neither true nor false');
    return byte === 1;
  }

  /** Returns a bigint only for an integer that a number can't hold. */
  long(): number | bigint {
    const start = this.#at;
    let encoded = 0;
    for (let unit = 1, byte = 0x80; byte >= 0x80; unit *= 0x80) {
      if (this.#at - start === longestNumber) throw new AvroContradictionError('a number has more than 64 bits');
      byte = this.#byte();
      encoded += (byte & 0x7f) * unit;
    }
    if (encoded > Number.MAX_SAFE_INTEGER) return this.#exactLong(start);
    const half = Math.floor(encoded / 2);
    return half * 2 === encoded ? half : -half - 1;
  }

  #exactLong(start: number): number | bigint {
    const bytes = this.#bytes.subarray(start, this.#at);
    const encoded = bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n);
    const value = BigInt.asIntN(64, (encoded >> 1n) ^ -(encoded & 1n));
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  int(): number {
    const value = this.long();
    if (typeof value === 'bigint' || (value | 0) !== value)
      throw new AvroContradictionError('a number has more than 32 bits');
    return value;
  }

  float(): number {
    return this.#take(4).readFloatLE();
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  bytes(): Buffer {
    return this.#take(this.#length(this.long()));
  }

  fixed(length: number): Buffer {
    return this.#take(length);
  }

  string(): string {
    const end = this.#length(this.long()) + this.#at;
    const text = utf8Text(this.#bytes, this.#at, end);
    if (text === undefined) throw new AvroContradictionError('a text is not UTF-8');
    this.#at = end;
    return text;
  }

  /** Reads an index and returns its choice: a branch of a union, or a symbol of an enumeration. */
  choice<Choice>(choices: readonly Choice[]): Choice {
    const chosen = choices[this.int()];
    if (chosen === undefined) throw new AvroContradictionError('a choice is not among those there are');
    return chosen;
  }

  /** Reads the elements of an array or map, which come in blocks. */
  blocks(readElement: () => void): void {
    for (let count = this.long(); count !== 0; count = this.long()) {
      // A negative count is followed by the size of the block in bytes.
      if (count < 0) this.#length(this.long());
      const elements = Math.abs(Number(count));
      this.limits.claim(elements);
      for (let left = elements; left > 0; left -= 1) readElement();
    }
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw new AvroContradictionError('there is more than the schema says');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new AvroContradictionError('there is less than the schema says');
    this.#at += 1;
    return byte;
  }

  #length(declared: number | bigint): number {
    if (declared < 0 || declared > this.#bytes.length - this.#at) {
      throw new AvroContradictionError('there is less than the schema says');
    }
    return Number(declared);
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new AvroContradictionError('there is less than the schema says');
    this.#at += length;
    return taken;
  }
}
