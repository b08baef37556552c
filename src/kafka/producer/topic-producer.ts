import type { Kafka, Message, PartitionChoice, Producer } from '../client/kafka.ts';
import { WaitGroup } from '../../lib/wait-group.ts';
import type { OutgoingRecord } from './batch.ts';
import { kafkaErrorType } from '../client/faults.ts';

/** Compressions for records that we write, in the order of Kafka's codes. Records in any of them can be read. */
export const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

export class UnacknowledgedError extends Error {
  override readonly name = 'UnacknowledgedError';
}

export interface TopicProducerOptions {
  readonly kafka: Pick<Kafka, 'producer'>;
  readonly topic: string;
  readonly compression: Compression;
}

/**
 * Brokers refuse timestamps that are an hour ahead of their own clock (`message.timestamp.after.max.ms`). A wall clock that
 * is further ahead must not keep records from being written, so they are written without a timestamp then.
 */
const noTimestamp = -1;

/** The longest time in ms that the leader waits for its in-sync replicas before it reports a failure. */
const acknowledgementTimeoutMs = 10_000;

/**
 * A kafkajs producer of one topic. It is not shared between topics, because kafkajs refuses to write anywhere once one of a
 * producer's topics is gone. It connects with the first write. It is not idempotent, because kafkajs then loses records
 * when an acknowledgement gets lost.
 */
export class TopicProducer implements AsyncDisposable {
  readonly #options: TopicProducerOptions;
  readonly #producer: Producer;
  readonly #sending = new WaitGroup();
  #connected: Promise<void> | undefined;
  #partitions: number | undefined;

  constructor(options: TopicProducerOptions) {
    this.#options = options;
    this.#producer = options.kafka.producer({
      idempotent: false,
      allowAutoTopicCreation: false,
      createPartitioner: () => (choice) => {
        this.#partitions = choice.partitionMetadata.length;
        return partitionFor(choice);
      },
      // Milliseconds. With kafkajs's default, an unresponsive leader is written to for half a minute after the leadership moved.
      metadataMaxAge: 2000,
      // Enough for a change of leadership. After that, the caller reports the failure and tries again.
      retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 1000 },
    });
  }

  /** The number of the topic's partitions at the last write. Undefined before that. */
  get partitions(): number | undefined {
    return this.#partitions;
  }

  /**
   * Resolves once all in-sync replicas have these records. They come from one partition, so they all go to one partition.
   * A write to several partitions may be lost when a leadership moves during it (kafkajs pull request 1798).
   */
  async send(sourcePartition: number, records: readonly OutgoingRecord[]): Promise<void> {
    this.#sending.add();
    try {
      await this.#send(sourcePartition, records);
    } finally {
      this.#sending.remove();
    }
  }

  /** Closes the connections once no write is in flight, because kafkajs would open them again for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending.wait();
    await this.#producer.disconnect();
  }

  async #send(sourcePartition: number, records: readonly OutgoingRecord[]): Promise<void> {
    await this.#connect();
    try {
      await this.#write(records.map((record) => toMessage(record, sourcePartition)));
    } catch (error) {
      if (kafkaErrorType(error) !== 'INVALID_TIMESTAMP') throw error;
      await this.#write(records.map((record) => toMessage(record, sourcePartition, noTimestamp)));
    }
  }

  /** Tries one record that is too large compressed, too: its caller would drop the value. */
  async #write(messages: Message[], compression = this.#options.compression): Promise<void> {
    const { topic } = this.#options;
    const batch = { topic, acks: -1, timeout: acknowledgementTimeoutMs, messages };
    const answers = await this.#producer
      .send({ ...batch, compression: compressions.indexOf(compression) })
      .catch((error: unknown) => {
        if (messages.length > 1 || compression === 'zstd' || !isTooLarge(error)) throw error;
      });
    if (answers === undefined) return this.#write(messages, 'zstd');
    const [answer] = answers;
    if (answers.length !== 1 || answer?.topicName !== topic || answer.errorCode !== 0)
      throw new UnacknowledgedError(`no acknowledgement of a write to ${topic}`);
  }

  /** Connects once for all concurrent writes. After a failure, the next write tries again. */
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

export function isTooLarge(error: unknown): boolean {
  const type = kafkaErrorType(error);
  return type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE';
}

/**
 * Chooses the partition of the source, modulo the partitions of the topic. An owner's retries are then read by the instance
 * that makes its first attempts. Called at each try, with the partitions that kafkajs knows by then.
 */
export function partitionFor({ message, partitionMetadata }: PartitionChoice): number {
  return (message.partition ?? 0) % partitionMetadata.length;
}

function toMessage(record: OutgoingRecord, partition: number, timestamp = record.timestamp): Message {
  const { key, value, headers } = record;
  const message = { key, value, partition, headers };
  return timestamp === undefined ? message : { ...message, timestamp: String(timestamp) };
}
