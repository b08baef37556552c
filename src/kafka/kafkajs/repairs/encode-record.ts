import type { IHeaders } from 'kafkajs';
import type { OutgoingHeaders } from '../../client/kafka.ts';
import { replaceModule } from '../load.ts';
import { RecordWriter, roomFor, type Field } from './record-writer.ts';

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

/** The members of kafkajs's `Encoder` that its callers use. */
interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

/** The timestamp, the offset, and the count of headers. */
const numbers = 3;
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

/** Encodes a Record, https://kafka.apache.org/documentation/#record */
function encodeRecord({ offsetDelta, timestampDelta, key, value, headers = {} }: WrittenRecord): Encoded {
  const fields: readonly Field[] = headers[inOrder]?.flat() ?? fieldsOf(headers);
  const room = fields.reduce<number>((sum, field) => sum + roomFor(field), roomFor(key) + roomFor(value));
  const writer = new RecordWriter({ numbers, room: 1 + room });
  writer.byte(attributes).varint(timestampDelta).varint(offsetDelta).field(key).field(value);
  writer.varint(fields.length / 2);
  fields.forEach((field) => writer.field(field));
  const buffer = writer.finish();
  return { buf: buffer, buffer };
}

function fieldsOf(headers: IHeaders): readonly Field[] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
}
