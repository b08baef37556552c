import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { repairDecodeMessages } from '../../../../src/kafka/kafkajs/batches/decode-messages.ts';
import type { Decoder, RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { encodeBatch } from '../../support/encode-batch.ts';
import { unreadableOf, UnreadableRecordsError } from '../../../../src/kafka/kafkajs/batches/unreadable-mark.ts';

const require = createRequire(import.meta.url);
const responsePath = 'kafkajs/src/protocol/requests/fetch/v11/response.js';
const internals = loadInternals();

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

/** Returns the batch with its single record repeated. */
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

  it('may be more than the arguments that a call can take', async () => {
    expect(await decode(repeatRecord(await batchOf([0], 0), 200_000))).toHaveLength(200_000);
  });

  it('end before an undecodable batch, and are marked when it is the first', async () => {
    const [whole, damaged] = [await batchOf([0], 0), pretendGzip(await batchOf([1], 1))];
    const before = await decode(whole, damaged, whole);
    expect(before).toHaveLength(1);
    expect(unreadableOf(before)).toBeUndefined();
    const none = await decode(damaged, whole);
    expect(none).toHaveLength(0);
    expect(unreadableOf(none)).toBeInstanceOf(UnreadableRecordsError);
  });

  it('stop after 8 MiB, with later batches left for the next response', async () => {
    const large = await batchOf([0], 0, Buffer.alloc(5 * 1024 * 1024));
    const records = await decode(large, large, large);
    expect(records).toHaveLength(2);
    expect(unreadableOf(records)).toBeUndefined();
  });

  it('are decoded this way by modules that were loaded before the repair, too', () => {
    expect(require(responsePath)).not.toBe(loadedBefore);
  });
});
