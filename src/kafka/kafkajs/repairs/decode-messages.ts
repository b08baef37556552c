import { AsyncLocalStorage } from 'node:async_hooks';
import type { Broker, Decoder, FetchAnswer, FetchRequest, KafkajsInternals, RawRecord } from '../internals.ts';
import { replaceModule } from '../load.ts';
import { partitionKey } from '../../client/consumer.ts';
import { dropAborted, placeholder } from './aborted-records.ts';
import { decodeBatch, scopeOf, type AnswerScope, type RecordBatch } from './decode-batch.ts';
import { markUnreadable } from './unreadable-batches.ts';

/** The position of the format version in a batch. Version 2 is the record batch of Kafka 0.11 and later. */
const magicAt = 16;
const recordBatchMagic = 2;
/** The header of a record batch, counted from after its length field up to its first record. */
const batchOverheadBytes = 49;

type Decoding = Pick<KafkajsInternals, 'Decoder' | 'lookupCodec' | 'decodeMessageSet'>;
/** The bytes of each partition in a fetch answer, by the list that its records are decoded into. */
type EncodedRecords = WeakMap<readonly RawRecord[], Buffer>;

/**
 * Decodes the records of each answer to a Fetch request, within a budget.
 *
 * - kafkajs builds all that an answer holds, and some kilobytes may hold gigabytes. Here its partitions share a budget, and one
 *   answer is decoded at a time. What exceeds it is fetched again, from within its batch if need be. So decoding needs the
 *   offset that was asked for, which the decoders of kafkajs do not know.
 * - kafkajs passes all records of a batch as arguments of one call. About 120,000 records overflow the stack, which stopped
 *   the consumer for good. Here records are added one by one. github.com/tulios/kafkajs/pull/1723
 * - kafkajs continues after the last record of a batch. Compaction may remove that record, but the batch keeps its last
 *   offset. Such a batch was fetched again once per missing offset, and for ever when it was empty. Here an end mark is
 *   added at the batch's last offset.
 * - In kafkajs a batch that can't be decoded fails the whole response, and so all partitions of the broker. Here it ends
 *   the records of its own partition. If it is the first batch, the records are marked as unreadable.
 */
export function repairDecodeMessages(kafkajs: Decoding & Pick<KafkajsInternals, 'broker'>): void {
  const fetching = new AsyncLocalStorage<EncodedRecords>();
  replaceModule(
    'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js',
    async (response: Decoder) => {
      const records: RawRecord[] = [];
      const size = response.readInt32();
      if (size <= 0 || !response.canReadBytes(size)) return records;
      const bytes = response.readBytes(size);
      const encoded = fetching.getStore();
      // Another copy of kafkajs, which has no such broker.
      if (encoded === undefined) await decodeInto(records, bytes, kafkajs, scopeOf());
      else encoded.set(records, bytes);
      return records;
    },
    /kafkajs\/src\/protocol\/requests\/fetch\/v\d+\/response\.js$/v,
  );
  const { fetch } = kafkajs.broker;
  let latest = Promise.resolve();
  kafkajs.broker.fetch = async function fetchAndDecode(this: Broker, request) {
    const encoded: EncodedRecords = new WeakMap();
    const answer = await fetching.run(encoded, () => fetch.call(this, request));
    latest = latest.then(() => decodeAnswer(answer, request, encoded, kafkajs));
    await latest;
    return answer;
  };
}

async function decodeAnswer(
  answer: FetchAnswer,
  request: FetchRequest,
  encoded: EncodedRecords,
  kafkajs: Decoding,
): Promise<void> {
  const scope = scopeOf(request.headers);
  const asked = new Map<string, number>();
  for (const { topic, partitions } of request.topics)
    for (const { partition, fetchOffset } of partitions) asked.set(partitionKey(topic, partition), Number(fetchOffset));
  for (const { topicName, partitions } of answer.responses) {
    for (const data of partitions) {
      const from = asked.get(partitionKey(topicName, data.partition)) ?? 0;
      const bytes = encoded.get(data.messages);
      if (bytes !== undefined) await decodeInto(data.messages, bytes, kafkajs, { ...scope, from });
      dropAborted(data);
    }
  }
}

/** Adds the records of one partition within the scope. Never rejects. */
async function decodeInto(records: RawRecord[], bytes: Buffer, kafkajs: Decoding, scope: AnswerScope): Promise<void> {
  const { left } = scope;
  const decoder = new kafkajs.Decoder(bytes);
  try {
    if (bytes.readInt8(magicAt) !== recordBatchMagic)
      return add({ records: await kafkajs.decodeMessageSet(decoder, bytes.length), lastOffset: undefined }, records);
    while (decoder.canReadBytes(batchOverheadBytes) && left.records > 0 && left.content > 0) {
      const decoded = decodeBatch(kafkajs, decoder, scope);
      // The byte limit of a response may truncate its last batch.
      if (decoded === undefined) break;
      const batch = decoded instanceof Promise ? await decoded : decoded;
      add(batch, records);
      if (batch.lastOffset === undefined) break;
    }
  } catch (error) {
    if (records.length === 0) markUnreadable(records, error);
  }
}

/** Adds all records of the batch, and an end mark if it is read to its end. */
function add({ records: decoded, lastOffset }: RecordBatch, records: RawRecord[]): void {
  for (const record of decoded) records.push(record);
  if (lastOffset !== undefined && decoded.at(-1)?.offset !== lastOffset) records.push(placeholder(lastOffset));
}
