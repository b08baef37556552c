import protobuf from 'protobufjs';
import { maxValues, tooComplex } from './reading-limits.ts';

/** A value takes at most a tag, and in a map the tags of its entry and key, and a 64-bit integer. */
const maxReads = 4 * maxValues;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the bytes of one record, and bounds their fields and 64-bit integers, which are what takes time. Rejects texts that
 * end early or are not UTF-8, which the reader of the library accepts.
 */
export class RecordReader extends protobuf.Reader {
  #reads = 0;

  override string(): string {
    return utf8.decode(this.bytes());
  }

  override tag(): number {
    this.#count();
    return super.tag();
  }

  override int64(): ReturnType<protobuf.Reader['int64']> {
    this.#count();
    return super.int64();
  }

  override uint64(): ReturnType<protobuf.Reader['uint64']> {
    this.#count();
    return super.uint64();
  }

  override sint64(): ReturnType<protobuf.Reader['sint64']> {
    this.#count();
    return super.sint64();
  }

  #count(): void {
    this.#reads += 1;
    if (this.#reads > maxReads) throw tooComplex(`it has more than ${maxReads} fields`);
  }
}
