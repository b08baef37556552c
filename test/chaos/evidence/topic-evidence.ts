import type { Kafka } from 'kafkajs';
import type { Document } from '../../support/builders.ts';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import type { Names } from '../experiment/names.ts';
import type { HandoffSeen, SourceSeen } from './evidence.ts';

const withinMs = 120_000;

export async function readSources(kafka: Kafka, topic: string): Promise<readonly SourceSeen[]> {
  const records = await readTopic(kafka, topic, withinMs);
  return records.map(({ partition, offset, timestamp, value }) => {
    const document = JSON.parse(String(value)) as Document;
    const [certificateId, ownerId] = [String(document['_id']), String(document['_ownerId'])];
    return { topic, partition, offset, certificateId, ownerId, at: timestamp };
  });
}

export async function readHandoffs(kafka: Kafka, { tiers, deadLetters }: Names): Promise<readonly HandoffSeen[]> {
  const topics = await Promise.all(
    [...tiers, deadLetters].map(async (topic) => {
      const records = await readTopic(kafka, topic, withinMs);
      return records.map((record) => handoffSeen(topic, record));
    }),
  );
  return topics.flat();
}

function handoffSeen(topic: string, { partition, offset, timestamp, headers }: RecordRead): HandoffSeen {
  return {
    topic,
    partition,
    offset,
    deliveryId: headers['delivery-id'] ?? '',
    at: timestamp,
    stage: `${headers['attempt']}/${headers['deferrals']}`,
    deadBecause: headers['dead-letter-reason'],
  };
}
