import type { Kafka } from 'kafkajs';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { Load, ownerOf } from './load.ts';
import type { Receiver } from './receiver/receiver.ts';
import { startService } from './service-under-test.ts';
import { endpointOf, type Trouble } from './trouble.ts';

export interface StageParts {
  readonly kafka: Kafka;
  readonly brokers: readonly string[];
  readonly receiver: Receiver;
  readonly authorityFile: string;
  readonly endpoints: number;
  readonly trouble: Trouble;
}

/** Topics of its own, the endpoints in their trouble, and the service with its default settings. */
export interface Stage extends AsyncDisposable {
  readonly topic: string;
  readonly load: Load;
}

export const partitions = 12;
const deliveryIdHeader = 'x-delivery-id';

export async function openStage(parts: StageParts): Promise<Stage> {
  const { kafka, brokers, receiver, authorityFile, endpoints, trouble } = parts;
  await using stack = new AsyncDisposableStack();
  const name = uniqueName('bench');
  await makeTopics(kafka, name, endpoints, receiver);
  await receiver.behave(trouble);
  stack.use(await startService(environmentOf(name, brokers, authorityFile)));
  const producer = stack.use(await connectProducer(kafka));
  const topic = `${name}.completed`;
  const load = new Load({
    producer,
    topic,
    partitions,
    endpointOf: (number) => endpointOf(number, endpoints, trouble),
  });
  const owned = stack.move();
  return { topic, load, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function makeTopics(kafka: Kafka, name: string, endpoints: number, receiver: Receiver): Promise<void> {
  const tiers = ['10s', '1m', '10m', '1h', '6h', '24h'].map((delay) => `${name}.retry.${delay}`);
  await createTopics(kafka, [
    ...[`${name}.completed`, ...tiers].map((topic) => ({ topic, partitions })),
    { topic: `${name}.dead-letter` },
    { topic: `${name}.configurations`, settings: { 'cleanup.policy': 'compact' } },
  ]);
  const configurations = Array.from({ length: endpoints }, (_, endpoint) => {
    const _id = `endpoint-${endpoint}`;
    return { key: _id, value: json(aConfiguration({ _id, _ownerId: ownerOf(endpoint), url: receiver.url(endpoint) })) };
  });
  await produce(kafka, `${name}.configurations`, configurations);
}

function environmentOf(name: string, brokers: readonly string[], authorityFile: string): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: name,
    CERTIFICATE_TOPICS: `${name}.completed=certificate_completed`,
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
