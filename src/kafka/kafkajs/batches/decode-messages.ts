import type { Decoder, KafkajsInternals, RawRecord } from '../internals.ts';
import { replaceModule } from '../load.ts';
import { decodeBatch, type RecordBatch } from './decode-batch.ts';
import { placeholder } from './placeholder.ts';
import { markUnreadable } from './unreadable-mark.ts';

/** The position of the format version in a batch. Version 2 is the record batch of Kafka 0.11 and later. */
const magicAt = 16;
const recordBatchMagic = 2;
/** The header of a record batch, counted from after its length field up to its first record. */
const batchOverheadBytes = 49;
/** Decoding stops after this many bytes of keys and values. A small compressed response may inflate to far more. */
const enoughBytes = 8 * 1024 * 1024;

type Decoding = Pick<KafkajsInternals, 'Decoder' | 'lookupCodec' | 'decodeMessageSet'>;

/**
 * Decodes the records of one partition in a Fetch response.
 *
 * - kafkajs passes all records of a batch as arguments of one call. About 120,000 records overflow the stack, which stopped
 *   the consumer for good. Here records are added one by one. github.com/tulios/kafkajs/pull/1723
 * - kafkajs continues after the last record of a batch. Compaction may remove that record, but the batch keeps its last
 *   offset. Such a batch was fetched again once per missing offset, and for ever when it was empty. Here an end mark is
 *   added at the batch's last offset.
 * - In kafkajs a batch that can't be decoded fails the whole response, and so all partitions of the broker. Here it ends
 *   the records of its own partition. If it is the first batch, the records are marked as unreadable.
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
      const decoded = decodeBatch(kafkajs, decoder);
      // The byte limit of a response may truncate its last batch.
      if (decoded === undefined) break;
      decodedBytes += add(decoded instanceof Promise ? await decoded : decoded, records);
    } catch (error) {
      if (records.length === 0) markUnreadable(records, error);
      break;
    }
  }
  return records;
}

/** Adds all records of the batch. Returns the size of their keys and values in bytes. */
function add(batch: RecordBatch, records: RawRecord[]): number {
  let bytes = 0;
  for (const record of batch.records) {
    records.push(record);
    bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0);
  }
  const { lastOffset } = batch;
  if (batch.records.at(-1)?.offset !== lastOffset) records.push(placeholder(lastOffset));
  return bytes;
}
