import type { IHeaders } from 'kafkajs';
import { replaceModule } from './load.ts';
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
export function encodeRecordsInOneGo(): void {
  replaceModule(
    'kafkajs/src/protocol/recordBatch/record/v0/index.js',
    encodeRecord,
    /kafkajs\/src\/protocol\/requests\/produce\/v\d+\/request\.js$/v,
  );
}

/** Record, https://kafka.apache.org/documentation/#record */
function encodeRecord({ offsetDelta, timestampDelta, key, value, headers = {} }: WrittenRecord): Encoded {
  const pairs = Object.entries(headers).flatMap(([name, some]) =>
    Array.isArray(some) ? some.map((one) => [name, one] as const) : [[name, some] as const],
  );
  const fields = [key, value, ...pairs.flat()];
  const writer = new RecordWriter({
    numbers,
    room: 1 + fields.reduce((sum: number, field) => sum + roomFor(field), 0),
  });
  writer.byte(attributes).varint(timestampDelta).varint(offsetDelta).field(key).field(value).varint(pairs.length);
  for (const [name, text] of pairs) writer.field(name).field(text);
  const buffer = writer.finish();
  return { buf: buffer, buffer };
}
