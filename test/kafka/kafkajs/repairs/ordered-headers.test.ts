import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatch } from '../../../../src/kafka/kafkajs/fetch/record-batches.ts';
import { encodeRecordsInOneBuffer, orderedHeaders } from '../../../../src/kafka/kafkajs/repairs/encode-record.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { toSourceRecord } from '../../../../src/kafka/records/fetched-records.ts';
import { encodeBatch } from '../../support/encode-batch.ts';

encodeRecordsInOneBuffer();
const kafkajs = loadInternals();

type Header = readonly [name: string, value: Buffer | string | null];

/** Encodes a record with these headers and decodes it, with the code that is in use once kafkajs is repaired. */
async function afterKafka(headers: readonly Header[]): Promise<readonly Header[]> {
  const encoded = await encodeBatch([{ key: null, value: null, headers: orderedHeaders(headers) }]);
  const batch = await decodeBatch(kafkajs, new kafkajs.Decoder(encoded));
  return batch?.records.flatMap((record) => toSourceRecord('topic', 0, record).headers) ?? [];
}

const names = fc.oneof(
  fc.constantFrom('a', 'b', '9', '10', '007', '', '__proto__', 'constructor', 'toString', '4294967295'),
  fc.string({ unit: 'binary' }),
);
const values = fc.option(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)));

describe('the headers of a record', () => {
  it('come back as they were written: their order, repeats and nulls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 12 }), async (headers) => {
        expect(await afterKafka(headers)).toEqual(headers);
      }),
      { numRuns: 1000 },
    );
  });

  it('are text as bytes', async () => {
    expect(await afterKafka([['name', 'é']])).toEqual([['name', Buffer.from('é')]]);
  });
});
