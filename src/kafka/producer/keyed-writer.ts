import { batchLength, type OutgoingRecord } from './batch.ts';
import { TopicProducer, type TopicProducerOptions } from './topic-producer.ts';

export interface KeyedRecord {
  readonly id: string;
  /** Null removes the key. */
  readonly value: Buffer | null;
  readonly partition: number;
}

/**
 * Writes the records in order, one partition after the other, each with these headers. Calls `written` with the ids of each batch once all in-sync
 * replicas have it. Rejects when Kafka refuses a batch; the batches before it stay written.
 */
export async function writeKeyed(
  { kafka, topic, headers }: Pick<TopicProducerOptions, 'kafka' | 'topic'> & Pick<OutgoingRecord, 'headers'>,
  records: readonly KeyedRecord[],
  written: (ids: readonly string[]) => void,
): Promise<void> {
  const toRecord = ({ id, value }: KeyedRecord): OutgoingRecord => ({ key: Buffer.from(id, 'utf8'), value, headers });
  await using producer = new TopicProducer({ kafka, topic, compression: 'none' });
  for (const [partition, own] of Map.groupBy(records, (record) => record.partition)) {
    const waiting = [...own];
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchLength(waiting.map(toRecord)));
      await producer.send(partition, batch.map(toRecord));
      written(batch.map(({ id }) => id));
    }
  }
}
