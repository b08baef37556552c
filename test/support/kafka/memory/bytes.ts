/** Reads a request of Kafka's protocol from its first byte to its last. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the next bytes without a copy. Throws a `RangeError` if there are fewer. */
  take(count: number): Buffer {
    const end = this.#position + count;
    if (count < 0 || end > this.#bytes.length) throw new RangeError('a request ends too early');
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  /** Reads a number in base 128, with the lowest digit first. */
  varint(): number {
    let [value, scale, byte] = [0, 1, 0x80];
    for (; byte >= 0x80; scale *= 0x80) {
      byte = this.take(1).readUInt8();
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}

/** Collects the parts of an answer. */
export class ByteWriter {
  readonly #parts: Buffer[] = [];
  #length = 0;

  put(bytes: Buffer): this {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }

  varint(value: number): this {
    const digits: number[] = [];
    let remaining = value;
    for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) digits.push((remaining % 0x80) + 0x80);
    return this.put(Buffer.from([...digits, remaining]));
  }

  /** Returns all parts as one frame, with its length in front. */
  frame(): Buffer {
    const length = Buffer.alloc(4);
    length.writeInt32BE(this.#length);
    return Buffer.concat([length, ...this.#parts]);
  }
}
