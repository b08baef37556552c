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
    const byte = this.#bytes[this.#advance(1)] ?? 0;
    if (byte > 1) throw new AvroContradictionError('a boolean is neither true nor false');
    return byte === 1;
  }

  /** Returns a bigint only for an integer that a number can't hold. */
  long(): number | bigint {
    const start = this.#at;
    let encoded = 0;
    for (let unit = 1, byte = 0x80; byte >= 0x80; unit *= 0x80) {
      if (this.#at - start === longestNumber) throw new AvroContradictionError('a number has more than 64 bits');
      byte = this.#bytes[this.#advance(1)] ?? 0;
      encoded += (byte & 0x7f) * unit;
    }
    const half = Math.floor(encoded / 2);
    if (encoded <= Number.MAX_SAFE_INTEGER) return half * 2 === encoded ? half : -half - 1;
    const exact = this.#bytes
      .subarray(start, this.#at)
      .reduceRight((sum, digit) => (sum << 7n) | BigInt(digit & 0x7f), 0n);
    const value = BigInt.asIntN(64, (exact >> 1n) ^ -(exact & 1n));
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  int(): number {
    const value = this.long();
    if ((Number(value) | 0) === value) return value;
    throw new AvroContradictionError('a number has more than 32 bits');
  }

  float(): number {
    return this.#bytes.readFloatLE(this.#advance(4));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#advance(8));
  }

  bytes(length = this.long()): Buffer {
    return this.#bytes.subarray(this.#advance(length), this.#at);
  }

  string(): string {
    const text = utf8Text(this.#bytes, this.#advance(this.long()), this.#at);
    if (text === undefined) throw new AvroContradictionError('a text is not UTF-8');
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
    this.limits.enter();
    for (let count = this.long(); count !== 0; count = this.long()) {
      // A negative count is followed by the size of the block in bytes.
      if (count < 0) this.#at = this.#advance(this.long());
      const elements = Math.abs(Number(count));
      this.limits.claim(elements);
      for (let left = elements; left > 0; left -= 1) readElement();
    }
    this.limits.leave();
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw new AvroContradictionError('there is more than the schema says');
  }

  /** Returns the position of the bytes that it passes over. */
  #advance(length: number | bigint): number {
    const start = this.#at;
    if (length < 0 || length > this.#bytes.length - start)
      throw new AvroContradictionError('there is less than the schema says');
    this.#at = start + Number(length);
    return start;
  }
}
