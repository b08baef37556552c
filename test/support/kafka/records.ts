import { CompressionTypes, type IHeaders, type Kafka, type KafkaMessage, type Message } from 'kafkajs';
import type { RecordHeaders } from '../../../src/certificates/record.ts';
import { orderedHeaders } from '../../../src/kafka/kafkajs/repairs/encode-record.ts';
import { connectAdmin, connectProducer } from './client.ts';
import { hungAfterMs } from '../time/eventually.ts';
import { uniqueName } from './topics.ts';

interface RecordToWrite {
  readonly key?: string | Buffer | null;
  readonly value: string | Buffer | null;
  /** A list may hold a name several times, and null. */
  readonly headers?: Readonly<Record<string, string>> | RecordHeaders;
  /** The partition; 0 when left out. It never depends on a hash of the key. */
  readonly partition?: number;
  /** Epoch milliseconds; now when left out. */
  readonly timestamp?: number;
}

/**
 * Writes records. Resolves to their places once all in-sync replicas have them. Each partition gets its own request: a
 * request for several loses records when a leader moves (kafkajs#1303). The requests are sequential: parallel ones each open
 * a connection and leak all but the last (kafkajs#1440).
 */
export async function produce(
  kafka: Kafka,
  topic: string,
  records: readonly RecordToWrite[],
  compression = CompressionTypes.None,
): Promise<readonly Place[]> {
  await using producer = await connectProducer(kafka);
  const byPartition = Map.groupBy(records.entries(), ([, { partition = 0 }]) => partition);
  const places = new Map<number, Place>();
  for (const [partition, part] of byPartition) {
    const messages = part.map(([, record]) => messageOf(partition, record));
    const [written] = await producer.send({ topic, acks: -1, compression, messages });
    const first = Number(written?.baseOffset);
    for (const [at, [index]] of part.entries()) places.set(index, { partition, offset: first + at });
  }
  return records.flatMap((_, index) => places.get(index) ?? []);
}

/** Writes a record under each key. Its value tells nothing. */
export function produceKeys(kafka: Kafka, topic: string, keys: readonly string[]): Promise<readonly Place[]> {
  return produce(
    kafka,
    topic,
    keys.map((key) => ({ key, value: '1' })),
  );
}

export interface Place {
  readonly partition: number;
  readonly offset: number;
}

function messageOf(
  partition: number,
  { key = null, value, headers = {}, timestamp = Date.now() }: RecordToWrite,
): Message {
  const written = isList(headers) ? orderedHeaders(headers) : { ...headers };
  return { partition, key, value, headers: written, timestamp: String(timestamp) };
}

function isList(headers: IHeaders | Readonly<Record<string, string>> | RecordHeaders): headers is RecordHeaders {
  return Array.isArray(headers);
}

export interface RecordRead {
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** Headers as text. Values of a repeated name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers as they are in the record. */
  readonly headerList: RecordHeaders;
}

/** Reads all records that are in the topic at the time of the call, sorted by partition and offset. */
export async function readTopic(kafka: Kafka, topic: string, withinMs = hungAfterMs): Promise<readonly RecordRead[]> {
  const missing = await endsOf(kafka, topic);
  if (missing.size === 0) return [];
  const records: RecordRead[] = [];
  const consumer = kafka.consumer({ groupId: uniqueName('read-topic'), maxWaitTimeInMs: 50 });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const deadline = setTimeout(() => {
    reject(new Error(`Could not read ${topic} to its end within ${withinMs} ms; ${records.length} records so far.`));
  }, withinMs);
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const end = missing.get(batch.partition) ?? 0;
        const read = batch.messages.map((one) => recordRead(batch.partition, one));
        records.push(...read.filter(({ offset }) => offset < end));
        if (Number(batch.lastOffset()) + 1 >= end) missing.delete(batch.partition);
        if (missing.size === 0) resolve(undefined);
        await Promise.resolve();
      },
    });
    await promise;
  } finally {
    clearTimeout(deadline);
    await consumer.disconnect();
  }
  return records.toSorted((one, other) => one.partition - other.partition || one.offset - other.offset);
}

/** Returns the end offset of each partition that has records. */
async function endsOf(kafka: Kafka, topic: string): Promise<Map<number, number>> {
  await using admin = await connectAdmin(kafka);
  const offsets = await admin.fetchTopicOffsets(topic);
  const filled = offsets.filter(({ low, high }) => Number(high) > Number(low));
  return new Map(filled.map(({ partition, high }) => [partition, Number(high)]));
}

function recordRead(partition: number, message: KafkaMessage): RecordRead {
  const headerList = headersIn(message.headers ?? {});
  return {
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: textHeaders(headerList),
    headerList,
  };
}

/** Returns the headers as a list. A client whose decoder is repaired gives one already. */
function headersIn(headers: IHeaders | RecordHeaders): RecordHeaders {
  if (isList(headers)) return headers;
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? ''].flat().map((value): readonly [string, Buffer] => [name, Buffer.from(value)]),
  );
}

function textHeaders(headers: RecordHeaders): Readonly<Record<string, string>> {
  const groups = [...Map.groupBy(headers, ([name]) => name)];
  return Object.fromEntries(groups.map(([name, pairs]) => [name, pairs.map(([, value]) => value ?? '').join()]));
}
