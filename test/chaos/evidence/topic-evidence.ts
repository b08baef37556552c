import type { Kafka } from 'kafkajs';
import type { Document } from '../../support/builders.ts';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import type { TopicNames } from '../../support/service/topic-names.ts';
import type { PublishedDelivery, ProducedRecord, Result } from './evidence.ts';

const withinMs = 120_000;

export async function readProducedRecords(kafka: Kafka, topic: string): Promise<readonly ProducedRecord[]> {
  const records = await readTopic(kafka, topic, withinMs);
  return records.map(({ partition, offset, timestamp, value }) => {
    const document = JSON.parse(String(value)) as Document;
    const [certificateId, ownerId] = [String(document['_id']), String(document['_ownerId'])];
    return { topic, partition, offset, certificateId, ownerId, at: timestamp };
  });
}

export async function readPublishedDeliveries(
  kafka: Kafka,
  { tiers, deadLetters }: TopicNames,
): Promise<readonly PublishedDelivery[]> {
  const topics = await Promise.all(
    [...tiers, deadLetters].map(async (topic) => {
      const records = await readTopic(kafka, topic, withinMs);
      // A tier may also keep results that are owed to the results topic.
      const deliveries = records.filter(({ headers }) => headers['owed-result'] === undefined);
      return deliveries.map((record) => toPublishedDelivery(topic, record));
    }),
  );
  return topics.flat();
}

/** Reads what the results topic tells of deliveries. A write whose acknowledgement is lost leaves a copy of the same text. */
export async function readResults(kafka: Kafka, topic: string): Promise<readonly Result[]> {
  const records = await readTopic(kafka, topic, withinMs);
  const byText = Map.groupBy(records, ({ value }) => String(value));
  return [...byText]
    .map(([text, same]): Result => {
      const { type, deliveryId, outcome } = JSON.parse(text) as Pick<Result, 'type' | 'deliveryId' | 'outcome'>;
      const at = Math.min(...same.map(({ timestamp }) => timestamp));
      return { type, deliveryId, outcome, written: same.length, at };
    })
    .filter(({ type }) => type.startsWith('delivery.'));
}

function toPublishedDelivery(topic: string, { partition, offset, timestamp, headers }: RecordRead): PublishedDelivery {
  return {
    topic,
    partition,
    offset,
    deliveryId: headers['delivery-id'] ?? '',
    at: timestamp,
    copyKey: `${headers['attempt']}/${headers['deferrals']}`,
    deadLetterReason: headers['dead-letter-reason'],
  };
}
