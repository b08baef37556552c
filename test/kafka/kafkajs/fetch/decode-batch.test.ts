import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { IHeaders } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { RecordHeaders } from '../../../../src/certificates/record.ts';
import { decodeBatch } from '../../../../src/kafka/kafkajs/fetch/record-batches.ts';
import type { Decoder, RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { encodeBatch } from '../../support/encode-batch.ts';

const require = createRequire(import.meta.url);
const kafkajs = loadInternals();

interface OriginalBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly OriginalRecord[];
}

type OriginalRecord = Omit<RawRecord, 'headers'> & { readonly headers?: IHeaders };

const original: (decoder: Decoder) => Promise<OriginalBatch> = require('kafkajs/src/protocol/recordBatch/v0/decoder');

const attributesAt = 21;
const recordsAt = 61;

async function decode(batch: Buffer): Promise<Awaited<ReturnType<typeof decodeBatch>>> {
  return decodeBatch(kafkajs, new kafkajs.Decoder(batch));
}

/** The fields that the service reads. */
function fieldsOf(record: RawRecord | OriginalRecord): object {
  const { offset, timestamp, key, value, headers = [], isControlRecord, batchContext } = record;
  const { producerId = '', inTransaction = false, isControlBatch = false } = batchContext ?? {};
  const context = { producerId, inTransaction, isControlBatch };
  const valuesByName = isList(headers) ? groupByName(headers) : Object.fromEntries(Object.entries(headers));
  return { offset, timestamp, key, value, headers: valuesByName, isControlRecord, batchContext: context };
}

function isList(headers: RecordHeaders | IHeaders): headers is RecordHeaders {
  return Array.isArray(headers);
}

/** Returns headers as kafkajs does, which does not keep their order. */
function groupByName(headers: RecordHeaders): Readonly<Record<string, unknown>> {
  const groups = [...Map.groupBy(headers, ([name]) => name)];
  return Object.fromEntries(
    groups.map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

describe('a record batch', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
  const name = fc.string({ unit: 'binary' }).filter((text) => !(text in {}));
  const record = fc.record({
    offsetDelta: fc.nat(),
    timestampDelta: fc.oneof(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.maxSafeInteger()),
    key: fc.option(bytes),
    value: fc.option(bytes),
    headers: fc.dictionary(name, fc.oneof(bytes, fc.array(bytes, { minLength: 2, maxLength: 3 }))),
  });
  const timestamp = fc.oneof(fc.bigInt(-1n, 2n ** 44n), fc.bigInt(-1n, 2n ** 62n)).map(String);
  const batch = fc.record({
    firstOffset: fc.maxSafeNat().map((offset) => String(Math.floor(offset / 2))),
    firstTimestamp: timestamp,
    maxTimestamp: timestamp,
    producerId: fc.bigInt(-1n, 2n ** 62n).map(String),
    lastOffsetDelta: fc.nat(),
    compression: fc.constantFrom(0, 1),
  });
  const flags = fc.constantFrom(0, 0x08, 0x10, 0x20, 0x30);

  it('is decoded into the same records as by kafkajs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 4 }), batch, flags, async (records, header, flag) => {
        const encoded = await encodeBatch(records, header);
        encoded.writeInt16BE(encoded.readInt16BE(attributesAt) | flag, attributesAt);
        const expected = await original(new kafkajs.Decoder(encoded));
        const decoder = new kafkajs.Decoder(Buffer.concat([encoded, Buffer.from('the next batch')]));
        const decoded = await decodeBatch(kafkajs, decoder);
        expect(decoded?.records.map(fieldsOf)).toEqual(expected.records.map(fieldsOf));
        expect(decoded?.lastOffset).toBe(String(Number(expected.firstOffset) + expected.lastOffsetDelta));
        expect(decoder.offset).toBe(encoded.length);
      }),
    );
  });

  it('is undefined without its end', async () => {
    const encoded = await encodeBatch([{ value: 'a' }]);
    expect(await decode(encoded.subarray(0, -1))).toBeUndefined();
  });

  it('is refused when a record or the batch is longer or shorter than it says', async () => {
    for (const change of [-2, 2]) {
      const [longer, more] = [await encodeBatch([{ value: 'a' }]), await encodeBatch([{ value: 'a' }, { value: 'b' }])];
      longer[recordsAt] = (longer[recordsAt] ?? 0) + change;
      await expect(decode(longer)).rejects.toThrow('a record has another length than it says');
      more.writeInt32BE(1, recordsAt - 4);
      await expect(decode(more)).rejects.toThrow('a batch has another length than it says');
    }
  });

  it('is refused with a compression that Kafka does not have', async () => {
    const encoded = await encodeBatch([{ value: 'a' }]);
    encoded.writeInt16BE(5, attributesAt);
    await expect(decode(encoded)).rejects.toThrow('compression 5 is unknown');
  });
});

describe('a record', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('may have headers named %s', async (odd) => {
    const values = [Buffer.from('one'), Buffer.from('two')];
    const encoded = await encodeBatch([{ value: null, headers: { [odd]: values } }]);
    expect((await decode(encoded))?.records[0]?.headers).toEqual(values.map((value) => [odd, value]));
  });

  it('has a null header where the value is missing', async () => {
    const encoded = await encodeBatch([{ value: null, headers: { none: '' } }]);
    const minusOne = 1;
    encoded[encoded.length - 1] = minusOne;
    expect((await decode(encoded))?.records[0]?.headers).toEqual([['none', null]]);
  });
});
