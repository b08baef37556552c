import type { Consumer, ConsumerConfig, Kafka, Message, Producer, ProducerConfig, ProducerRecord } from 'kafkajs';
import type { MemoryBroker } from './memory-broker.ts';
import { createMemoryAdmin } from './memory-admin.ts';
import { MemoryConsumer, type Fetching } from './memory-consumer.ts';
import type { BrokerConnection } from './broker-connection.ts';

export interface MemoryKafka {
  /** Replaces the kafkajs client of one process. */
  readonly kafka: Kafka;
  /** The consumers created so far. */
  readonly consumers: readonly MemoryConsumer[];
}

/** Creates a client of the memory broker. It has the parts of the kafkajs interface that the service uses. */
export function createMemoryKafka(
  broker: MemoryBroker,
  connection: BrokerConnection,
  fetching?: Fetching,
): MemoryKafka {
  const consumers: MemoryConsumer[] = [];
  const client: Pick<Kafka, 'admin' | 'consumer' | 'producer'> = {
    admin: () => createMemoryAdmin(broker, connection),
    consumer: (config: ConsumerConfig) => {
      const consumer = new MemoryConsumer({ broker, connection, config, fetching });
      consumers.push(consumer);
      return consumer as Pick<MemoryConsumer, keyof MemoryConsumer & keyof Consumer> as Consumer;
    },
    producer: (config) => createProducer(broker, connection, config),
  };
  return { kafka: client as Kafka, consumers };
}

function createProducer(
  broker: MemoryBroker,
  connection: BrokerConnection,
  { createPartitioner }: ProducerConfig = {},
): Producer {
  const partition = createPartitioner?.();
  const choose = (topic: string, message: Message): number => {
    const partitionMetadata = broker.partitions(topic).map((log) => ({
      partitionId: log.partition,
      leader: 0,
      partitionErrorCode: 0,
      replicas: [0],
      isr: [0],
    }));
    return partition?.({ topic, partitionMetadata, message }) ?? message.partition ?? 0;
  };
  const producer: Pick<Producer, 'connect' | 'disconnect' | 'send'> = {
    connect: () => connection.request({ kind: 'metadata' }, () => undefined),
    disconnect: async () => undefined,
    send: ({ topic, messages }: ProducerRecord) =>
      connection.request({ kind: 'produce', topic }, () => {
        const [first] = messages;
        const target = { topic, partition: first === undefined ? 0 : choose(topic, first) };
        const sentAt = connection.clock.now();
        const records = messages.map(({ key, value, headers, timestamp = String(sentAt) }) => ({
          key: toBytes(key ?? null),
          value: toBytes(value),
          headers: headers ?? {},
          timestamp: Number(timestamp),
        }));
        const baseOffset = String(broker.append(target, records));
        return [{ topicName: topic, partition: target.partition, errorCode: 0, baseOffset }];
      }),
  };
  return producer as Producer;
}

function toBytes(value: Buffer | string | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
