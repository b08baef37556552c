import { kafkaErrorType } from '../../src/kafka/client/faults.ts';
import type { OutgoingHeaders } from '../../src/kafka/client/kafka.ts';
import { partitionFor } from '../../src/kafka/producer/topic-producer.ts';
import type { Cluster } from './cluster.ts';

interface WrittenRecord {
  readonly key?: string | null;
  readonly value: string | null;
  readonly headers?: OutgoingHeaders;
  readonly partition?: number;
}

/** Writes like the service: one partition per batch, chosen by the source partition. */
export async function write(cluster: Cluster, topic: string, records: readonly WrittenRecord[]) {
  const producer = cluster.client().producer({
    idempotent: false,
    allowAutoTopicCreation: false,
    createPartitioner: () => partitionFor,
    metadataMaxAge: 2000,
    retry: { retries: 2, initialRetryTime: 200, maxRetryTime: 1000 },
  });
  const messages = records.map(({ key = null, value, headers = [], partition = 0 }) => ({
    key: key === null ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers,
    partition,
  }));
  await producer.connect();
  try {
    return await producer.send({ topic, acks: -1, timeout: 10_000, compression: 0, messages });
  } finally {
    await producer.disconnect();
  }
}

/** Resolves with the name of Kafka's error, or undefined on success. */
export async function refusal(operation: Promise<unknown>): Promise<string | undefined> {
  try {
    await operation;
    return undefined;
  } catch (error) {
    return kafkaErrorType(error);
  }
}
