import type { Cluster, Kafka, Message, Producer, ProducerOptions, Admin } from '../../../src/kafka/client/kafka.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { committedOffsets } from './group-member.ts';
import { MemoryConsumer, type Fetching } from './memory-consumer.ts';
import { createMemoryTopicLog } from './memory-topic-log.ts';
import type { BrokerConnection } from './broker-connection.ts';

export interface MemoryKafka {
  /** Replaces the client of one process. */
  readonly kafka: Kafka;
  /** The consumers created so far. */
  readonly consumers: readonly MemoryConsumer[];
}

/** Creates a client of the memory broker. */
export function createMemoryKafka(
  broker: MemoryBroker,
  connection: BrokerConnection,
  fetching?: Fetching,
): MemoryKafka {
  const consumers: MemoryConsumer[] = [];
  const kafka: Kafka = {
    admin: () => createMemoryAdmin(broker, connection),
    connectCluster: () => connectMemoryCluster(broker, connection),
    consumer: (config) => {
      const consumer = new MemoryConsumer({ broker, connection, config, fetching });
      consumers.push(consumer);
      return consumer;
    },
    openLog: (topic) => createMemoryTopicLog(broker, connection, topic),
    producer: (options) => createProducer(broker, connection, options),
  };
  return { kafka, consumers };
}

async function connectMemoryCluster(broker: MemoryBroker, connection: BrokerConnection): Promise<Cluster> {
  await connection.request({ kind: 'metadata' }, () => undefined);
  return {
    listTopics: (names) =>
      connection.request({ kind: 'metadata' }, () =>
        [...broker.topics()].filter((topic) => names?.includes(topic) ?? true),
      ),
    fetchEnds: (topic, partitions) =>
      connection.request(
        { kind: 'offsets' },
        () => new Map(partitions.map((partition) => [partition, broker.log({ topic, partition }).end])),
      ),
    commit: (groupId, offsets) =>
      connection.request({ kind: 'commit', groupId }, () =>
        broker.group(groupId).commitWithoutMember(committedOffsets(offsets)),
      ),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function createProducer(
  broker: MemoryBroker,
  connection: BrokerConnection,
  { createPartitioner }: ProducerOptions,
): Producer {
  const partitionOf = createPartitioner();
  const choose = (topic: string, message: Message): number => {
    const partitionMetadata = broker.partitions(topic);
    return partitionOf({ message, partitionMetadata });
  };
  return {
    connect: () => connection.request({ kind: 'metadata' }, () => undefined),
    disconnect: async () => undefined,
    send: ({ topic, messages }) =>
      connection.request({ kind: 'produce', topic }, () => {
        const [first] = messages;
        const target = { topic, partition: first === undefined ? 0 : choose(topic, first) };
        const sentAt = connection.clock.now();
        const records = messages.map(({ key, value, headers, timestamp = String(sentAt) }) => ({
          key: toBytes(key ?? null),
          value: toBytes(value),
          headers: headers.map(([name, text]) => [name, toBytes(text)] as const),
          timestamp: Number(timestamp),
        }));
        const baseOffset = String(broker.append(target, records));
        return [{ topicName: topic, partition: target.partition, errorCode: 0, baseOffset }];
      }),
  };
}

function toBytes(value: Buffer | string | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}

/** An admin client with the methods that a running service uses: offsets. */
function createMemoryAdmin(broker: MemoryBroker, connection: BrokerConnection): Admin {
  const admin: Pick<Admin, 'connect' | 'disconnect' | 'fetchOffsets' | 'fetchTopicOffsets'> = {
    connect: () => connection.request({ kind: 'metadata' }, () => undefined),
    disconnect: async () => undefined,
    fetchOffsets: ({ groupId, topics }) =>
      connection.request({ kind: 'offsets' }, () =>
        topics.map((topic) => ({
          topic,
          partitions: broker.partitions(topic).map(({ partition }) => {
            const { offset = -1, metadata = '' } = broker.group(groupId).committed(topic, partition) ?? {};
            return { partition, offset: String(offset), metadata };
          }),
        })),
      ),
    fetchTopicOffsets: (topic) =>
      connection.request({ kind: 'offsets' }, () =>
        broker.partitions(topic).map(({ partition, start, stableEnd }) => ({
          partition,
          offset: String(stableEnd),
          low: String(start),
          high: String(stableEnd),
        })),
      ),
  };
  return admin as Admin;
}
