import type { IHeaders } from 'kafkajs';
import { replaceModule } from '../load.ts';
import { visitHeaders } from './message-headers.ts';
import { RecordWriter, roomFor, type Field } from './record-writer.ts';

/** A record of a batch that is to be written, as kafkajs has it by then. */
interface WrittenRecord {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key?: Field;
  readonly value: Field;
  readonly headers?: IHeaders;
}

/** What kafkajs takes for one of its encoders. */
interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

/** Timestamp, offset, and how many headers there are. */
const numbers = 3;
const attributes = 0;

/**
 * Encodes records into one buffer each. kafkajs makes one of 512 bytes for every header and another one for every
 * number: of what it takes to write a retry, with its seventeen headers, that was three quarters.
 */
export function encodeRecordsInOneBuffer(): void {
  replaceModule(
    'kafkajs/src/protocol/recordBatch/record/v0/index.js',
    encodeRecord,
    /kafkajs\/src\/protocol\/requests\/produce\/v\d+\/request\.js$/v,
  );
}

/** Record, https://kafka.apache.org/documentation/#record */
function encodeRecord({ offsetDelta, timestampDelta, key, value, headers = {} }: WrittenRecord): Encoded {
  const fields: Field[] = [];
  visitHeaders(headers, (name, text) => fields.push(name, text));
  const room = fields.reduce<number>((sum, field) => sum + roomFor(field), roomFor(key) + roomFor(value));
  const writer = new RecordWriter({ numbers, room: 1 + room });
  writer.byte(attributes).varint(timestampDelta).varint(offsetDelta).field(key).field(value);
  writer.varint(fields.length / 2);
  fields.forEach((field) => writer.field(field));
  const buffer = writer.finish();
  return { buf: buffer, buffer };
}
