import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairDecodeRecord } from '../../../../src/kafka/kafkajs/batches/decode-record.ts';
import { encodeRecordsInOneBuffer } from '../../../../src/kafka/kafkajs/batches/encode-record.ts';
import { messageHeaders } from '../../../../src/kafka/kafkajs/batches/message-headers.ts';
import type { Decoder } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { toSourceRecord, type FullRecord } from '../../../../src/kafka/records/source-record.ts';

repairDecodeRecord();
encodeRecordsInOneBuffer();
const require = createRequire(import.meta.url);
const encode: (record: object) => { readonly buffer: Buffer } = require('kafkajs/src/protocol/recordBatch/record/v0');
const decode: (
  decoder: Decoder,
  batchContext: object,
) => FullRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');
const { Decoder: Reader } = loadInternals();

type Header = readonly [name: string, value: Buffer | string | null];

/** Encodes a record with these headers and decodes it, with the code that is in use once kafkajs is repaired. */
function afterKafka(headers: readonly Header[]): readonly Header[] {
  const record = encode({
    offsetDelta: 0,
    timestampDelta: 0,
    key: null,
    value: null,
    headers: messageHeaders(headers),
  });
  const bytes = new Reader(record.buffer).readVarIntBytes() ?? Buffer.alloc(0);
  const decoded = decode(new Reader(bytes), { firstOffset: '0', firstTimestamp: '0', maxTimestamp: '0' });
  return toSourceRecord('topic', 0, decoded).headers;
}

const names = fc.oneof(
  fc.constantFrom('a', 'b', '9', '10', '007', '', '__proto__', 'constructor', 'toString', '4294967295'),
  fc.string({ unit: 'binary' }),
);
const values = fc.option(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)));

describe('the headers of a record', () => {
  it('come back as they were written: their order, repeats and nulls', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 12 }), (headers) => {
        expect(afterKafka(headers)).toEqual(headers);
      }),
      { numRuns: 1000 },
    );
  });

  it('come back in their order when names look like numbers and repeat', () => {
    const headers = [
      ['a', Buffer.from('1')],
      ['10', null],
      ['9', Buffer.alloc(0)],
      ['a', null],
    ] as const;
    expect(afterKafka(headers)).toEqual(headers);
  });

  it('are text as bytes', () => {
    expect(afterKafka([['name', 'é']])).toEqual([['name', Buffer.from('é')]]);
  });
});
