import type { Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import type { OutgoingRecord } from './batch.ts';
import { PartitionWriter, type WantedCheck, type WriteResult } from './partition-writer.ts';
import { TopicProducer, type Compression, type ProducerFactory } from './topic-producer.ts';

interface TopicWriterOptions {
  readonly kafka: ProducerFactory;
  readonly topic: string;
  readonly compression: Compression;
  readonly failed: (error: unknown, retryInMs: number) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly lingerMs: number;
}

/** A producer that failed so often in a row may be what is broken: its successor starts with fresh connections. */
const failuresBeforeReplacement = 3;
/** A new one helps against nothing that lasts; each gets at least this long. */
const shortestProducerUseMs = 10_000;
/** How long disposal waits for what is on its way; kafkajs ends that by its own time-outs, in the background. */
const closeTimeoutMs = 5000;

/** Writes to one topic, whatever becomes of the others: each partition in order, for as long as it takes. */
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

  /** Whether the latest write failed. What waits is tried again all the while, so this ends when the failure does. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Rejects with `PublisherClosedError` once disposed of; any other failure is waited out. */
  async write(sourcePartition: number, record: OutgoingRecord, isWanted?: WantedCheck): Promise<WriteResult> {
    const written = await this.#partition(sourcePartition).write(record, isWanted);
    if (written === 'abandoned') return written;
    this.#failures = 0;
    this.#isFailing = false;
    return written;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await within(this.#options.clock, closeTimeoutMs, this.#close());
  }

  #partition(sourcePartition: number): PartitionWriter {
    const known = this.#partitions.get(sourcePartition);
    if (known !== undefined) return known;
    const { clock, random, lingerMs } = this.#options;
    const writer = new PartitionWriter({
      send: (records) => this.#send(sourcePartition, records),
      failed: (error, retryInMs) => this.#fail(error, retryInMs),
      clock,
      random,
      lingerMs,
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
    this.#producerSince = this.#options.clock.now();
    this.#failures = 0;
    return new TopicProducer(this.#options);
  }

  #fail(error: unknown, retryInMs: number): void {
    this.#isFailing = true;
    this.#failures += 1;
    const ageMs = this.#options.clock.now() - this.#producerSince;
    if (this.#failures >= failuresBeforeReplacement && ageMs >= shortestProducerUseMs) this.#discardProducer();
    this.#options.failed(error, retryInMs);
  }

  #discardProducer(): void {
    if (this.#producer === undefined) return;
    // Whether an abandoned producer closes well makes no difference to anyone.
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
