import { ReadingLimits } from './reading-limits.ts';

/** Thrown when bytes do not match their schema. The message quotes none of them. */
export class AvroContradictionError extends Error {
  override readonly name = 'AvroContradictionError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
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
    const byte = this.#take(1).readUInt8();
    if (byte !== 0 && byte !== 1) throw new AvroContradictionError('a boolean is neither true nor false');
    return byte === 1;
  }

  long(): bigint {
    let encoded = 0n;
    for (let index = 0; index < longestNumber; index += 1) {
      const byte = this.#take(1).readUInt8();
      encoded |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asIntN(64, (encoded >> 1n) ^ -(encoded & 1n));
    }
    throw new AvroContradictionError('a number has more than 64 bits');
  }

  int(): number {
    const value = this.long();
    if (BigInt.asIntN(32, value) !== value) throw new AvroContradictionError('a number has more than 32 bits');
    return Number(value);
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
    try {
      return utf8.decode(this.bytes());
    } catch (error) {
      if (error instanceof AvroContradictionError) throw error;
      throw new AvroContradictionError('a text is not UTF-8');
    }
  }

  /** Reads an index and returns its choice: a branch of a union, or a symbol of an enumeration. */
  choice<Choice>(choices: readonly Choice[]): Choice {
    const chosen = choices[this.int()];
    if (chosen === undefined) throw new AvroContradictionError('a choice is not among those there are');
    return chosen;
  }

  /** Reads the elements of an array or map, which come in blocks. */
  blocks(readElement: () => void): void {
    for (let count = this.long(); count !== 0n; count = this.long()) {
      // A negative count is followed by the size of the block in bytes.
      if (count < 0n) this.#length(this.long());
      const elements = Number(count < 0n ? -count : count);
      this.limits.claim(elements);
      for (let left = elements; left > 0; left -= 1) readElement();
    }
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw new AvroContradictionError('there is more than the schema says');
  }

  #length(declared: bigint): number {
    if (declared < 0n || declared > this.#bytes.length - this.#at) {
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
