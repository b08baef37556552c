import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { repairDecodeMessages } from '../../../../src/kafka/kafkajs/batches/decode-messages.ts';
import type { Decoder, RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { unreadableOf, UnreadableRecordsError } from '../../../../src/kafka/kafkajs/batches/unreadable-mark.ts';

const require = createRequire(import.meta.url);
const responsePath = 'kafkajs/src/protocol/requests/fetch/v11/response.js';
const internals = loadInternals();

type Encoded = { readonly buffer: Buffer };

/** A batch as a broker sends it: its last offset stays what it was when compaction takes records off its end. */
async function encodeBatch(offsets: readonly number[], lastOffset: number, value = Buffer.from('v')): Promise<Buffer> {
  const Record: (record: object) => Encoded = require('kafkajs/src/protocol/recordBatch/record/v0');
  const {
    RecordBatch,
  }: { RecordBatch: (batch: object) => Promise<Encoded> } = require('kafkajs/src/protocol/recordBatch/v0');
  const records = offsets.map((offsetDelta) => Record({ offsetDelta, key: Buffer.from('k'), value }));
  return (await RecordBatch({ lastOffsetDelta: lastOffset, records })).buffer;
}

/** Says of its records that they are compressed, which they are not. */
function pretendGzip(batch: Buffer): Buffer {
  const attributesAt = 21;
  batch.writeInt16BE(1, attributesAt);
  return batch;
}

/** A batch of so many copies of the one record in it. */
function repeatRecord(batch: Buffer, times: number): Buffer {
  const lengthAt = 8;
  const countAt = 57;
  const recordsAt = countAt + 4;
  const repeated = Buffer.concat([
    batch.subarray(0, recordsAt),
    ...Array.from({ length: times }, () => batch.subarray(recordsAt)),
  ]);
  repeated.writeInt32BE(repeated.length - lengthAt - 4, lengthAt);
  repeated.writeInt32BE(times, countAt);
  return repeated;
}

async function decode(...batches: readonly Buffer[]): Promise<readonly RawRecord[]> {
  const records = Buffer.concat(batches);
  const size = Buffer.alloc(4);
  size.writeInt32BE(records.length);
  const decodeMessages: (
    decoder: Decoder,
  ) => Promise<readonly RawRecord[]> = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js');
  return decodeMessages(new internals.Decoder(Buffer.concat([size, records])));
}

describe('the records of a fetch response', () => {
  const loadedBefore: unknown = require(responsePath);

  beforeAll(() => {
    repairDecodeMessages(internals);
  });

  it('come as they are when none is missing at the end of their batch', async () => {
    const records = await decode(await encodeBatch([0, 1, 2], 2));
    expect(records.map(({ offset, isControlRecord }) => [offset, isControlRecord])).toEqual([
      ['0', false],
      ['1', false],
      ['2', false],
    ]);
    expect(records[0]?.value).toEqual(Buffer.from('v'));
  });

  it('end with a mark where compaction took the last ones', async () => {
    const records = await decode(await encodeBatch([0, 3], 7));
    expect(records.map(({ offset, isControlRecord }) => [offset, isControlRecord])).toEqual([
      ['0', false],
      ['3', false],
      ['7', true],
    ]);
  });

  it('are a mark alone where compaction took them all', async () => {
    const records = await decode(await encodeBatch([], 4));
    expect(records.map(({ offset, isControlRecord }) => [offset, isControlRecord])).toEqual([['4', true]]);
  });

  it('may be more than a call has room for arguments', async () => {
    expect(await decode(repeatRecord(await encodeBatch([0], 0), 200_000))).toHaveLength(200_000);
  });

  it('leave out a batch that the response cuts off', async () => {
    const whole = await encodeBatch([0], 0);
    const cut = await encodeBatch([0, 1, 2], 2);
    expect(await decode(whole, cut.subarray(0, cut.length - 1))).toHaveLength(1);
  });

  it('end before a batch that can not be decoded, and are marked once it is the first', async () => {
    const [whole, damaged] = [await encodeBatch([0], 0), pretendGzip(await encodeBatch([1], 1))];
    const before = await decode(whole, damaged, whole);
    expect(before).toHaveLength(1);
    expect(unreadableOf(before)).toBeUndefined();
    const none = await decode(damaged, whole);
    expect(none).toHaveLength(0);
    expect(unreadableOf(none)).toBeInstanceOf(UnreadableRecordsError);
  });

  it('are left for the next response behind 8 MiB', async () => {
    const large = await encodeBatch([0], 0, Buffer.alloc(5 * 1024 * 1024));
    const records = await decode(large, large, large);
    expect(records).toHaveLength(2);
    expect(unreadableOf(records)).toBeUndefined();
  });

  it('are none in an empty response', async () => {
    expect(await decode()).toEqual([]);
  });

  it('are decoded so by what was loaded before the repair, too', () => {
    expect(require(responsePath)).not.toBe(loadedBefore);
  });
});
