import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairDecodeRecord } from '../../../../src/kafka/kafkajs/batches/decode-record.ts';
import type { Decoder, RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { messageHeaders, visitHeaders } from '../../../../src/kafka/kafkajs/batches/message-headers.ts';

const require = createRequire(import.meta.url);
const path = 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
const { Decoder: Reader } = loadInternals();
const encode: (record: object) => { readonly buffer: Buffer } = require('kafkajs/src/protocol/recordBatch/record/v0');

type Decode = (decoder: Decoder, batchContext: object) => RawRecord;

const original: Decode = require(path);
repairDecodeRecord();
const replacement: Decode = require(path);

/** Returns a reader after the record's length, like the decoder of its batch. */
function readerOf(record: object): Decoder {
  return readerOfBytes(encode(record).buffer);
}

function readerOfBytes(bytes: Buffer): Decoder {
  const whole = new Reader(bytes);
  return new Reader(whole.readVarIntBytes() ?? Buffer.alloc(0));
}

function contextOf(overrides: object = {}): object {
  return {
    firstOffset: '41',
    firstTimestamp: '1763942400000',
    maxTimestamp: '1763942499999',
    timestampType: 0,
    magicByte: 2,
    isControlBatch: false,
    ...overrides,
  };
}

describe('a record', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
  const name = fc.string({ unit: 'binary' }).filter((text) => !(text in {}));
  const record = fc.record({
    offsetDelta: fc.nat(),
    timestampDelta: fc.oneof(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.maxSafeInteger()),
    key: fc.option(bytes),
    value: fc.option(bytes),
    headers: fc.dictionary(name, fc.oneof(bytes, fc.array(bytes, { minLength: 2, maxLength: 3 }))),
  });
  const context = fc
    .record({
      firstOffset: fc.nat().map(String),
      firstTimestamp: fc.oneof(fc.bigInt(-1n, 2n ** 44n), fc.bigInt(-1n, 2n ** 62n)).map(String),
      timestampType: fc.constantFrom(0, 1),
      isControlBatch: fc.boolean(),
    })
    .map(contextOf);

  it('is decoded into the same values as by kafkajs', () => {
    expect(replacement).not.toBe(original);
    fc.assert(
      fc.property(record, context, (one, batchContext) => {
        const { headers = {}, ...decoded } = replacement(readerOf(one), batchContext);
        // The entries alone, because kafkajs does not keep their order.
        expect({ ...decoded, headers: Object.fromEntries(Object.entries(headers)) }).toEqual(
          original(readerOf(one), batchContext),
        );
      }),
    );
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('may have headers named %s', (odd) => {
    const values = [Buffer.from('one'), Buffer.from('two')];
    const one = { value: null, headers: messageHeaders(values.map((value) => [odd, value])) };
    const { headers } = replacement(readerOf(one), contextOf());
    expect(Object.keys(headers ?? {})).toEqual([odd]);
    expect(headers?.[odd]).toEqual(values);
  });

  it('has a null header where the value is missing', () => {
    const encoded = encode({ value: null, headers: { none: '' } }).buffer;
    const minusOne = 1;
    encoded[encoded.length - 1] = minusOne;
    const found: unknown[] = [];
    const { headers = {} } = replacement(readerOfBytes(encoded), contextOf());
    visitHeaders(headers, (...header) => found.push(header));
    expect(found).toEqual([['none', null]]);
  });
});
