import type { Decoder, KafkajsInternals, RawRecord } from '../internals.ts';
import { replaceModule } from '../load.ts';
import { markUnreadable } from './unreadable-mark.ts';

/** Where a record batch names its format: magic 2 since Kafka 0.11. */
const magicAt = 16;
const recordBatchMagic = 2;
/** What precedes the records of a batch, from its length on. */
const batchOverheadBytes = 49;
/** The batches behind so much of a partition are left for the next response: a small one may inflate to a lot. */
const enoughBytes = 8 * 1024 * 1024;

type Decoding = Pick<KafkajsInternals, 'Decoder' | 'decodeRecordBatch' | 'decodeMessageSet'>;

/**
 * Decodes a Fetch response's records one by one, and marks the end of a batch whose last records were compacted away.
 *
 * - All records of a batch were spread into one call: beyond some 120,000 that overflows the stack, which ended the
 *   consumer for good. github.com/tulios/kafkajs/pull/1723
 * - The position after a batch was its last record's. A batch keeps its offsets when compaction takes records off its
 *   end, so it was fetched again once per missing offset, and for ever when none was left.
 * - A batch that can't be decoded failed the whole response, and so all partitions of the broker. It ends the records of
 *   its own partition, and when it is the first, they are marked.
 */
export function repairDecodeMessages(kafkajs: Decoding): void {
  replaceModule(
    'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js',
    (decoder: Decoder) => decodeMessages(kafkajs, decoder),
    /kafkajs\/src\/protocol\/requests\/fetch\/v\d+\/response\.js$/v,
  );
}

async function decodeMessages(kafkajs: Decoding, response: Decoder): Promise<readonly RawRecord[]> {
  const bytes = response.readInt32();
  if (bytes <= 0 || !response.canReadBytes(bytes)) return [];
  const buffer = response.readBytes(bytes);
  const decoder = new kafkajs.Decoder(buffer);
  if (buffer.readInt8(magicAt) !== recordBatchMagic) return kafkajs.decodeMessageSet(decoder, bytes);
  const records: RawRecord[] = [];
  let decodedBytes = 0;
  while (decoder.canReadBytes(batchOverheadBytes) && decodedBytes < enoughBytes) {
    try {
      decodedBytes += await decodeBatch(kafkajs, decoder, records);
    } catch (error) {
      // A response ends where its byte limit falls, which may be inside a batch.
      const isCutOff = error instanceof Error && error.name === 'KafkaJSPartialMessageError';
      if (!isCutOff && records.length === 0) markUnreadable(records, error);
      break;
    }
  }
  return records;
}

/** Returns the bytes of their keys and values. Adds all records of the batch, or none. */
async function decodeBatch(kafkajs: Decoding, decoder: Decoder, records: RawRecord[]): Promise<number> {
  const batch = await kafkajs.decodeRecordBatch(decoder);
  let bytes = 0;
  for (const record of batch.records) {
    records.push(record);
    bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0);
  }
  const lastOffset = String(Number(batch.firstOffset) + batch.lastOffsetDelta);
  if (batch.records.at(-1)?.offset !== lastOffset) records.push(endMark(lastOffset));
  return bytes;
}

/** Looks like a record that controls a transaction, which kafkajs counts but hands to nobody. */
function endMark(offset: string): RawRecord & Readonly<Record<string, unknown>> {
  const batchContext = { producerId: '-1', inTransaction: false };
  return { offset, key: null, value: null, headers: {}, timestamp: '-1', isControlRecord: true, batchContext };
}
