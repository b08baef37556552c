const lengthBytes = 4;

/** A queue of texts outside the heap. The data that Kafka stores must not count as memory of the service. */
export class OffHeapQueue {
  #bytes: Buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  #start = 0;
  #end = 0;

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  push(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#end + lengthBytes + length > this.#bytes.length) this.#makeRoom(lengthBytes + length);
    this.#bytes.writeUInt32LE(length, this.#end);
    this.#bytes.write(text, this.#end + lengthBytes);
    this.#end += lengthBytes + length;
  }

  shift(): string | undefined {
    if (this.isEmpty) return undefined;
    const from = this.#start + lengthBytes;
    const to = from + this.#bytes.readUInt32LE(this.#start);
    this.#start = to;
    return this.#bytes.toString('utf8', from, to);
  }

  /** Drops the texts that were read. If less than half of the buffer becomes free, moves the others to a larger one. */
  #makeRoom(needed: number): void {
    const kept = this.#end - this.#start;
    const isLarge = (kept + needed) * 2 > this.#bytes.length;
    const bytes = isLarge ? Buffer.allocUnsafeSlow((kept + needed) * 4) : this.#bytes;
    this.#bytes.copy(bytes, 0, this.#start, this.#end);
    this.#bytes = bytes;
    this.#start = 0;
    this.#end = kept;
  }
}
