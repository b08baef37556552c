import { beforeAll, describe, expect, it } from 'vitest';
import type { PartitionData, RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import { registerCodecs } from '../../../../src/kafka/kafkajs/create-kafka.ts';
import { emptyHeaders, encodeRawBatch } from '../../../support/kafka/raw-batch.ts';
import { encodeBatch } from '../../support/encode-batch.ts';
import { UnreadableRecordsError } from '../../../../src/kafka/kafkajs/fetch/record-batches.ts';
import { answeringBroker, encodeAnswer, requestFor } from './answering-broker.ts';

/** Encodes a batch like a broker. After compaction, `lastOffset` may be higher than the offsets of the records. */
async function batchOf(offsets: readonly number[], lastOffset: number, value = Buffer.from('v')): Promise<Buffer> {
  const records = offsets.map((offsetDelta) => ({ offsetDelta, key: Buffer.from('k'), value }));
  return encodeBatch(records, { lastOffsetDelta: lastOffset });
}

/** Marks the records as compressed, although they are not. */
function pretendGzip(batch: Buffer): Buffer {
  const attributesAt = 21;
  batch.writeInt16BE(1, attributesAt);
  return batch;
}

/** Fetches from a broker that answers with these bytes for each partition. */
async function fetchAll(answer: readonly Buffer[], from = 0): Promise<readonly (readonly RawRecord[])[]> {
  return (await fetchParts(answer, from)).map(({ messages }) => messages);
}

async function fetchParts(answer: readonly Buffer[], from = 0): Promise<readonly PartitionData[]> {
  const broker = answeringBroker(() => encodeAnswer(answer.map((records) => ({ records }))));
  const found = await broker.fetchRecords(requestFor(answer.map(() => from)));
  return found.toSorted((one, other) => one.asked.partition - other.asked.partition);
}

async function decode(...batches: readonly Buffer[]): Promise<readonly RawRecord[]> {
  const [records = []] = await fetchAll([Buffer.concat(batches)]);
  return records;
}

describe('the records of a fetch response', () => {
  beforeAll(registerCodecs);

  it('end with a mark where compaction removed the last ones', async () => {
    const records = await decode(await batchOf([0, 3], 7));
    expect(records.map(({ offset, isControlRecord }) => [offset, isControlRecord])).toEqual([
      ['0', false],
      ['3', false],
      ['7', true],
    ]);
  });

  it('are only a mark where compaction removed all', async () => {
    const records = await decode(await batchOf([], 4));
    expect(records.map(({ offset, isControlRecord }) => [offset, isControlRecord])).toEqual([['4', true]]);
  });

  it('come in several answers when their batch holds more than an answer may, and each of them once', async () => {
    const count = 50_000;
    const batch = encodeRawBatch(
      Array.from({ length: count }, () => ({})),
      'gzip',
    );
    const offsets: number[] = [];
    for (let answers = 0; answers < 5; answers += 1) {
      const [records = []] = await fetchAll([batch], offsets.length);
      expect(records.length).toBeLessThan(11_000);
      offsets.push(...records.map(({ offset }) => Number(offset)));
    }
    expect(offsets).toEqual(Array.from({ length: count }, (_, offset) => offset));
  });

  it('share what an answer may hold over all partitions, in content and in records', async () => {
    const spaces = encodeRawBatch([{ value: Buffer.alloc(20 * 1024 * 1024, ' ') }], 'gzip');
    const countsOf = async (batch: Buffer, from: number): Promise<readonly number[]> =>
      (await fetchAll([batch, batch, batch], from)).map(({ length }) => length);
    expect(await countsOf(spaces, 0)).toEqual([1, 0, 0]);
    // Nothing of it is wanted, and it was decompressed.
    expect(await countsOf(spaces, 7)).toEqual([1, 0, 0]);
    const many = encodeRawBatch(Array.from({ length: 6000 }, () => ({})));
    const [first = 0, second = 0, third] = await countsOf(many, 0);
    expect([first, third]).toEqual([6000, 0]);
    expect(second).toBeLessThan(5000);
  });

  it('leave out headers that are more than a record may have, without building them', async () => {
    const headersOf = async (headers: Buffer): Promise<readonly (boolean | undefined)[]> => {
      const batch = encodeRawBatch([{ value: Buffer.from('v'), headers }, {}]);
      return (await decode(batch)).map(({ headersOmitted }) => headersOmitted);
    };
    expect(await headersOf(emptyHeaders(1000))).toEqual([false, false]);
    expect(await headersOf(emptyHeaders(1001))).toEqual([true, false]);
    const one = (bytes: number) => encodeBatch([{ value: 'v', headers: { n: Buffer.alloc(bytes - 1) } }]);
    const [most, more] = [await decode(await one(64 * 1024)), await decode(await one(64 * 1024 + 1))];
    expect([most, more].map(([record]) => [record?.headersOmitted, record?.headers?.map(([name]) => name)])).toEqual([
      [false, ['n']],
      [true, []],
    ]);
  });

  it('end before an undecodable batch, and are marked when it is the first', async () => {
    const [whole, damaged] = [await batchOf([0], 0), pretendGzip(await batchOf([1], 1))];
    const [before] = await fetchParts([Buffer.concat([whole, damaged, whole])]);
    expect(before?.messages).toHaveLength(1);
    expect(before?.unreadable).toBeUndefined();
    const [none] = await fetchParts([Buffer.concat([damaged, whole])]);
    expect(none?.messages).toHaveLength(0);
    expect(none?.unreadable).toBeInstanceOf(UnreadableRecordsError);
  });

  it('stop after 8 MiB, with later batches left for the next response', async () => {
    const large = await batchOf([0], 0, Buffer.alloc(5 * 1024 * 1024));
    const [data] = await fetchParts([Buffer.concat([large, large, large])]);
    expect(data?.messages).toHaveLength(2);
    expect(data?.unreadable).toBeUndefined();
  });
});
