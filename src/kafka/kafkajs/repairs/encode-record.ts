import type { IHeaders } from 'kafkajs';
import type { OutgoingHeaders } from '../../client/kafka.ts';
import { replaceModule } from '../load.ts';

/** A record to be written, in the form that kafkajs passes to its encoder. */
interface WrittenRecord {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key?: Field;
  readonly value: Field;
  readonly headers?: Headers;
}

const inOrder = Symbol('headers in their order');

interface Headers extends IHeaders {
  readonly [inOrder]?: OutgoingHeaders;
}

/** Returns headers in the form of kafkajs that are written as they are. */
export function orderedHeaders(headers: OutgoingHeaders): IHeaders {
  return { [inOrder]: headers };
}

/** The timestamp, the offset, and the count of headers. */
const plainNumbers = 3;
const attributes = 0;

/**
 * Encodes each record into one buffer.
 *
 * kafkajs loses the order of headers, and their nulls. It allocates a buffer of 512 bytes for every header and another one
 * for every number. That was three quarters of the cost of writing a retry with its seventeen headers.
 */
export function encodeRecordsInOneBuffer(): void {
  replaceModule(
    'kafkajs/src/protocol/recordBatch/record/v0/index.js',
    encodeRecord,
    /kafkajs\/src\/protocol\/requests\/produce\/v\d+\/request\.js$/v,
  );
}

/**
 * Encodes a Record, https://kafka.apache.org/documentation/#record. Returns the members of kafkajs's `Encoder` that its callers
 * use.
 */
function encodeRecord({ offsetDelta, timestampDelta, key, value, headers = {} }: WrittenRecord) {
  const fields: readonly Field[] = headers[inOrder]?.flat() ?? fieldsOf(headers);
  const room = fields.reduce<number>((sum, field) => sum + roomFor(field), roomFor(key) + roomFor(value));
  const writer = new RecordWriter(plainNumbers * longestVarint + 1 + room);
  writer.byte(attributes).varint(timestampDelta).varint(offsetDelta).field(key).field(value);
  writer.varint(fields.length / 2);
  fields.forEach((field) => writer.field(field));
  const buffer = writer.finish();
  return { buf: buffer, buffer };
}

function fieldsOf(headers: IHeaders): readonly Field[] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
}

/** The value of a record's key, value or header. */
type Field = Buffer | string | null | undefined;

/** Bytes of the longest varint. Seven bits a byte are enough for all safe integers. */
const longestVarint = 8;
/** Bytes of the longest length, which has 32 bits. */
const longestLength = 5;

/** Returns an upper bound of the bytes of a field with its length. */
function roomFor(field: Field): number {
  return longestLength + lengthOf(field);
}

/** Writes a record into one buffer. Room for the record's length is kept at the beginning. */
class RecordWriter {
  readonly #buffer: Buffer;
  #position = longestLength;

  /** Allocates this many bytes beside the record's length. */
  constructor(room: number) {
    this.#buffer = Buffer.allocUnsafe(longestLength + room);
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
