import { within } from '../../lib/clock.ts';
import type { OutgoingRecord } from './batch.ts';
import {
  PartitionWriter,
  type PartitionWriterOptions,
  type WantedCheck,
  type WriteResult,
} from './partition-writer.ts';
import { TopicProducer, type TopicProducerOptions } from './topic-producer.ts';

export type TopicWriterOptions = TopicProducerOptions &
  Omit<PartitionWriterOptions, 'send' | 'signal' | 'failed'> & {
    /** Called after each failed write to a partition, except one that is refused for its size. */
    readonly failed: (error: unknown, retryInMs: number, partition: number) => void;
  };

/** Failed writes in a row after which the producer is replaced, because its connections may be what is broken. */
const failuresBeforeReplacement = 3;
/** Shortest time in ms for which a producer is used. A new one does not help against a fault of the brokers. */
const shortestProducerUseMs = 10_000;
/** Longest time in ms that disposal waits for writes in flight. Later, their own timeouts end them in the background. */
const closeTimeoutMs = 5000;

/**
 * Writes to one topic until each record is acknowledged, independently of other topics. Owns a `PartitionWriter` for each
 * source partition and one producer at a time, which all of them share.
 *
 * Promises:
 * - Partitions fail and recover on their own, but share the count of failures. Any acknowledged write resets it, and so does
 *   a record that is refused for its size.
 * - `isFailing` is true from a failed write until the brokers take or refuse a later record. An abandoned record shows
 *   nothing about the brokers, so it changes nothing.
 * - A producer that fails for long is replaced by one with fresh connections, and closed in the background. Without that, a
 *   producer that is itself broken would keep records from being written until the process restarts.
 * - Disposal also waits for discarded producers, whose writes may still be in flight.
 */
export class TopicWriter implements AsyncDisposable {
  readonly #options: TopicWriterOptions;
  readonly #closing = new AbortController();
  readonly #partitions = new Map<number, PartitionWriter>();
  readonly #discarded = new Set<Promise<void>>();
  #producer: TopicProducer | undefined;
  #producerSince = 0;
  #failures = 0;
  #isFailing = false;

  constructor(options: TopicWriterOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The number of the topic's partitions at the last write of the present producer. Undefined before that. */
  get partitions(): number | undefined {
    return this.#producer?.partitions;
  }

  /** The name for people. */
  get name(): string {
    return `the writer of ${this.#options.topic}`;
  }

  /** Returns the monotonic time of the last activity of the partition that has waited longest. */
  lastActivityAt(): number {
    const partitions = [...this.#partitions.values()];
    return Math.min(this.#options.clock.monotonic(), ...partitions.map((partition) => partition.lastActivityAt()));
  }

  /** Waits as long as writing fails. Rejects only with `PublisherClosedError`, after disposal. */
  async write(sourcePartition: number, record: OutgoingRecord, isWanted?: WantedCheck): Promise<WriteResult> {
    const written = await this.#partition(sourcePartition).write(record, isWanted);
    if (written === 'abandoned') return written;
    this.#failures = 0;
    this.#isFailing = false;
    return written;
  }

  /** Ends the records whose check returns false. They would otherwise stay for as long as the topic fails. */
  dropUnwanted(): void {
    for (const partition of this.#partitions.values()) partition.dropUnwanted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await within(this.#options.clock, closeTimeoutMs, this.#close());
  }

  #partition(sourcePartition: number): PartitionWriter {
    const known = this.#partitions.get(sourcePartition);
    if (known !== undefined) return known;
    const writer = new PartitionWriter({
      ...this.#options,
      send: (records) => this.#send(sourcePartition, records),
      failed: (error, retryInMs) => this.#fail(error, retryInMs, sourcePartition),
      signal: this.#closing.signal,
    });
    this.#partitions.set(sourcePartition, writer);
    return writer;
  }

  #send(sourcePartition: number, records: readonly OutgoingRecord[]): Promise<void> {
    this.#producer ??= this.#createProducer();
    return this.#producer.send(sourcePartition, records);
  }

  #createProducer(): TopicProducer {
    this.#producerSince = this.#options.clock.monotonic();
    this.#failures = 0;
    return new TopicProducer(this.#options);
  }

  #fail(error: unknown, retryInMs: number, partition: number): void {
    this.#isFailing = true;
    this.#failures += 1;
    const ageMs = this.#options.clock.monotonic() - this.#producerSince;
    if (this.#failures >= failuresBeforeReplacement && ageMs >= shortestProducerUseMs) this.#discardProducer();
    this.#options.failed(error, retryInMs, partition);
  }

  #discardProducer(): void {
    if (this.#producer === undefined) return;
    // A failure to close a discarded producer has no consequences.
    const discarded = this.#producer[Symbol.asyncDispose]().catch(() => undefined);
    this.#discarded.add(discarded);
    void discarded.finally(() => this.#discarded.delete(discarded));
    this.#producer = undefined;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#partitions.values()].map((partition) => partition.idle()));
    this.#discardProducer();
    await Promise.all(this.#discarded);
  }
}
