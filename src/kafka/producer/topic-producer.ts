import { CompressionTypes, type ICustomPartitioner, type Message, type Producer, type ProducerConfig } from 'kafkajs';
import { WaitGroup } from '../../lib/wait-group.ts';
import type { OutgoingRecord } from './batch.ts';
import { messageHeaders } from '../kafkajs/batches/message-headers.ts';

/** What we write may be compressed with any of these; all are read. */
export const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

/** The brokers' answer names no success for the partition that was written to. */
export class UnacknowledgedError extends Error {
  override readonly name = 'UnacknowledgedError';
}

/** A client, as far as writing goes. */
export interface ProducerFactory {
  producer(config: ProducerConfig): Pick<Producer, 'connect' | 'disconnect' | 'send'>;
}

export interface TopicProducerOptions {
  readonly kafka: ProducerFactory;
  readonly topic: string;
  readonly compression: Compression;
}

/** How long the leader waits for its replicas. */
const acknowledgementTimeoutMs = 10_000;

/**
 * A producer of one topic: kafkajs refuses to write anywhere once one of a producer's topics is gone. Connects with the
 * first write. Not idempotent: kafkajs loses records that way when an acknowledgement gets lost.
 */
export class TopicProducer implements AsyncDisposable {
  readonly #options: TopicProducerOptions;
  readonly #producer: ReturnType<ProducerFactory['producer']>;
  readonly #sending = new WaitGroup();
  #connected: Promise<void> | undefined;

  constructor(options: TopicProducerOptions) {
    this.#options = options;
    this.#producer = options.kafka.producer({
      idempotent: false,
      allowAutoTopicCreation: false,
      createPartitioner: bySourcePartition,
      // Without this a leader that hangs is written to for half a minute after the leadership moved on.
      metadataMaxAge: 2000,
      // Enough for a leadership to move; beyond that the caller tries again and tells.
      retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 1000 },
    });
  }

  /**
   * Resolves once all in-sync replicas have these records. All of them come from one partition and so go to one: kafkajs
   * may lose what it sends to several when a leadership moves meanwhile (kafkajs pull request 1798).
   */
  async send(sourcePartition: number, records: readonly OutgoingRecord[]): Promise<void> {
    this.#sending.add();
    try {
      await this.#send(sourcePartition, records);
    } finally {
      this.#sending.remove();
    }
  }

  /** Lets go of the connections after what is on its way, as kafkajs would open them again for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending.wait();
    await this.#producer.disconnect();
  }

  async #send(sourcePartition: number, records: readonly OutgoingRecord[]): Promise<void> {
    const { topic, compression } = this.#options;
    await this.#connect();
    const answers = await this.#producer.send({
      topic,
      acks: -1,
      timeout: acknowledgementTimeoutMs,
      compression: compressionType(compression),
      messages: records.map((record) => toMessage(record, sourcePartition)),
    });
    const [answer] = answers;
    if (answers.length !== 1 || answer?.topicName !== topic || answer.errorCode !== 0)
      throw new UnacknowledgedError(`no acknowledgement of a write to ${topic}`);
  }

  /** One attempt shared by all that wait for it; the next write makes another if it fails. */
  async #connect(): Promise<void> {
    this.#connected ??= this.#producer.connect();
    try {
      await this.#connected;
    } catch (error) {
      this.#connected = undefined;
      throw error;
    }
  }
}

/**
 * The source's partition, as far as the topic has as many: so an owner's retries meet the instance that makes its first
 * attempts. Asked at each try, with the partitions that kafkajs knows by then.
 */
export const bySourcePartition: ICustomPartitioner = () => (choice) =>
  (choice.message.partition ?? 0) % choice.partitionMetadata.length;

function toMessage({ key, value, headers }: OutgoingRecord, partition: number): Message {
  return { key, value, partition, headers: messageHeaders(headers) };
}

function compressionType(compression: Compression): CompressionTypes {
  switch (compression) {
    case 'none':
      return CompressionTypes.None;
    case 'gzip':
      return CompressionTypes.GZIP;
    case 'snappy':
      return CompressionTypes.Snappy;
    case 'lz4':
      return CompressionTypes.LZ4;
    case 'zstd':
      return CompressionTypes.ZSTD;
  }
}
