import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRecordsInOneBuffer } from '../../../../src/kafka/kafkajs/repairs/encode-record.ts';

const require = createRequire(import.meta.url);
const path = 'kafkajs/src/protocol/recordBatch/record/v0/index.js';

type Encode = (record: object) => { readonly buffer: Buffer };

const original: Encode = require(path);
encodeRecordsInOneBuffer();
const replacement: Encode = require(path);

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const field = fc.oneof(bytes, fc.string({ unit: 'binary', maxLength: 200 }));
const record = fc.record({
  offsetDelta: fc.nat(),
  timestampDelta: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  key: fc.option(field),
  value: fc.option(field),
  headers: fc.dictionary(fc.string({ unit: 'binary' }), fc.oneof(field, fc.array(field, { maxLength: 3 }))),
});

it('encodes a record into the same bytes as kafkajs', () => {
  expect(replacement).not.toBe(original);
  fc.assert(
    fc.property(record, (one) => {
      expect(replacement(one).buffer).toEqual(original(one).buffer);
    }),
  );
});

it('encodes a long record', () => {
  const one = { offsetDelta: 99, timestampDelta: 0, key: Buffer.alloc(70_000, 1), value: Buffer.alloc(3_000_000, 2) };
  expect(replacement(one).buffer.equals(original(one).buffer)).toBe(true);
});
