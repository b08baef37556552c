import type { Kafka } from 'kafkajs';
import type { Environment } from '../../src/settings.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics } from '../support/kafka/topics.ts';

/** What the service finds around it, and what it is told about that. */
export interface Surroundings {
  /** Begins the names of the topics, and is the group's. */
  readonly name: string;
  readonly certificates: string;
  readonly brokers: readonly string[];
  readonly authorityFile: string;
}

export interface Configuration {
  readonly key: string;
  readonly value: Buffer;
}

export const deliveryIdHeader = 'x-delivery-id';
const tierDelays = ['10s', '1m', '10m', '1h', '6h', '24h'];
const configurationsAtOnce = 1000;

/** All topics but that of the certificates. */
export async function createSurroundings(
  kafka: Kafka,
  name: string,
  { partitions, configurations }: { readonly partitions: number; readonly configurations: Iterable<Configuration> },
): Promise<void> {
  await createTopics(kafka, [
    ...tierDelays.map((delay) => ({ topic: `${name}.retry.${delay}`, partitions })),
    { topic: `${name}.dead-letter` },
    { topic: `${name}.configurations`, settings: { 'cleanup.policy': 'compact' } },
  ]);
  for (const some of chunksOf(configurations, configurationsAtOnce))
    await produce(kafka, `${name}.configurations`, some);
}

function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** The default settings, but for what differs from place to place. */
export function environmentOf({ name, certificates, brokers, authorityFile }: Surroundings): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: name,
    CERTIFICATE_TOPICS: `${certificates}=certificate_completed`,
    CERTIFICATE_START: 'earliest',
    WEBHOOK_CONFIGURATIONS: `kafka:${name}.configurations`,
    RETRY_TOPIC_PREFIX: `${name}.retry`,
    DEAD_LETTER_TOPIC: `${name}.dead-letter`,
    DELIVERY_ID_HEADER: deliveryIdHeader,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_ALLOWED_PORTS: '1-65535',
    DELIVERY_CA_FILE: authorityFile,
  };
}
