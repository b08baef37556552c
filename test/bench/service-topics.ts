import type { Kafka } from 'kafkajs';
import type { Environment } from '../../src/settings.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics } from '../support/kafka/topics.ts';

interface ServiceNames {
  /** The prefix of the topics, and the id of the consumer group. */
  readonly name: string;
  /** The topic of the certificates. */
  readonly certificates: string;
  readonly brokers: readonly string[];
  readonly authorityFile: string;
}

/** A record of the topic of webhook configurations. */
export interface ConfigurationRecord {
  readonly key: string;
  readonly value: Buffer;
}

const deliveryIdHeader = 'x-delivery-id';
const tierDelays = ['10s', '1m', '10m', '1h', '6h', '24h'];
const recordsPerRequest = 1000;

/** Creates all topics of a service except that of the certificates. */
export async function createServiceTopics(
  kafka: Kafka,
  name: string,
  {
    partitions,
    configurations,
    publishesResults = false,
  }: {
    readonly partitions: number;
    readonly configurations: Iterable<ConfigurationRecord>;
    readonly publishesResults?: boolean | undefined;
  },
): Promise<void> {
  await createTopics(kafka, [
    ...tierDelays.map((delay) => ({ topic: `${name}.retry.${delay}`, partitions })),
    ...(publishesResults ? [{ topic: resultsTopic(name), partitions }] : []),
    { topic: `${name}.dead-letter` },
    { topic: `${name}.configurations`, settings: { 'cleanup.policy': 'compact' } },
  ]);
  for (const records of chunksOf(configurations, recordsPerRequest))
    await produce(kafka, `${name}.configurations`, records);
}

/** Returns the results topic of a service. */
export function resultsTopic(name: string): string {
  return `${name}.results`;
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

/** Returns the environment variables without which the service can't run here. All others keep their defaults. */
export function serviceVariables({ name, certificates, brokers, authorityFile }: ServiceNames): Environment {
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
