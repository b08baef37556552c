import type { Delivery } from '../../deliveries/delivery.ts';
import type { EndpointChange, GateEvents } from '../../deliveries/gates/gates.ts';
import { sleep, wallTimeAt, type Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import type { DeliveryFacts } from '../../pipeline/delivery-facts.ts';
import type { ResultPublisher } from '../../pipeline/delivery-reporter.ts';
import type { AssignmentContext } from '../../pipeline/ports.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { deliveryResultValue, endpointResultValue } from '../records/result.ts';
import { partitionOf } from './key-partition.ts';
import type { OutgoingRecord } from './batch.ts';
import { PublisherClosedError, type WantedCheck, type WriteResult } from './partition-writer.ts';
import { TopicWriter, type TopicWriterOptions } from './topic-writer.ts';

interface ResultPublisherOptions extends Omit<TopicWriterOptions, 'failed'> {
  /** The partitions that the topic has at the start. Later numbers come with the writes. */
  readonly partitions: number;
  readonly events: Pick<KafkaEvents, 'handoffFailed'>;
  readonly clock: Clock;
}

/** The results topic refuses even a single record for its size. */
class ResultRefusedError extends Error {
  override readonly name = 'ResultRefusedError';
}

/** Pause in ms before a record that was refused for its size is tried again. It takes an operator to change that. */
const refusedRetryMs = 10_000;
/** Longest time in ms that disposal waits for changes of endpoints. Batches fill for half a second at most. */
const flushMs = 1000;
/** Changes of an endpoint that wait while the topic takes records. A circuit changes far less often than records are written. */
const mostWaitingChanges = 100;

/**
 * Publishes what becomes of deliveries and of endpoints to the results topic. Owns one `TopicWriter`, and the changes of
 * endpoints that are not acknowledged yet.
 *
 * The pipeline calls `publish`, and the gates call `circuitChanged`. The service disposes of it after the consumers have stopped.
 *
 * | Record about | Is written until it is acknowledged, unless                                                          |
 * | ------------ | ---------------------------------------------------------------------------------------------------- |
 * | a delivery   | the assignment has ended and the topic refuses writes: the partition's next owner repeats the attempt |
 * | an endpoint  | the topic refuses writes: the changes that wait become one, from the first state to the last         |
 *
 * Promises:
 * - The key is the id of the webhook, and its partition is that of Kafka's Java producer. All records of a webhook are in one
 *   partition, in their order.
 * - Nothing that waits here grows without a limit. Flow control bounds the deliveries. Each endpoint has at most 100 changes
 *   that are being written, and 100 that wait.
 * - A record that is refused for its size is tried again every 10 s, and `failingTopics` says so. Records are far smaller
 *   than any useful limit, so the topic is misconfigured.
 * - Disposal rejects calls of `publish` that are pending with `PublisherClosedError`. Their offsets are not committed.
 */
export class KafkaResultPublisher implements ResultPublisher, GateEvents, AsyncDisposable {
  readonly #options: ResultPublisherOptions;
  readonly #writer: TopicWriter;
  readonly #closing = new AbortController();
  readonly #endpoints = new Map<string, EndpointWrites>();
  #partitions: number;
  /** Records that wait because they were refused for their size. */
  #refused = 0;

  constructor(options: ResultPublisherOptions) {
    this.#options = options;
    this.#partitions = options.partitions;
    const { events, topic } = options;
    this.#writer = new TopicWriter({
      ...options,
      failed: (error, retryInMs) => {
        events.handoffFailed({ kind: 'result', topic, error, retryInMs });
        this.#writer.dropUnwanted();
      },
    });
  }

  publish(
    delivery: Delivery,
    facts: DeliveryFacts,
    assignment: Pick<AssignmentContext, 'revoked'>,
  ): Promise<'written' | 'abandoned'> {
    const value = deliveryResultValue({ delivery, facts, at: this.#options.clock.now() });
    return this.#write(delivery.webhookId, value, () => !assignment.revoked || !this.#isFailing);
  }

  circuitChanged(change: EndpointChange): void {
    const changed = { ...change, at: this.#options.clock.monotonic() };
    const writes = this.#endpoints.get(change.webhookId);
    if (writes === undefined) this.#startWriting(changed);
    else this.#addChange(writes.waiting, changed);
  }

  /** Each change is a record while the topic takes records. Otherwise those that wait become one, or none. */
  #addChange(waiting: TimedChange[], change: TimedChange): void {
    const isFull = this.#isFailing || waiting.length >= mostWaitingChanges;
    const last = isFull ? waiting.pop() : undefined;
    const from = last?.from ?? change.from;
    if (from !== change.to) waiting.push({ ...change, from });
  }

  /** Returns the topic while it refuses records. They are tried again until it takes them. */
  failingTopics(): readonly string[] {
    return this.#isFailing ? [this.#options.topic] : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const written = Promise.all([...this.#endpoints.values()].map(({ done }) => done));
    if (!this.#isFailing) await within(this.#options.clock, flushMs, written);
    this.#closing.abort();
    await this.#writer[Symbol.asyncDispose]();
  }

  get #isFailing(): boolean {
    return this.#writer.isFailing || this.#refused > 0;
  }

  #startWriting(change: TimedChange): void {
    const writes: EndpointWrites = { waiting: [change], done: Promise.resolve() };
    this.#endpoints.set(change.webhookId, writes);
    writes.done = this.#writeChanges(change.webhookId, writes);
  }

  /** Writes the changes of an endpoint in their order, those that wait together. Does not reject. */
  async #writeChanges(webhookId: string, { waiting }: EndpointWrites): Promise<void> {
    const { clock } = this.#options;
    while (waiting.length > 0) {
      const values = waiting.splice(0).map(({ at, failingSince: since, ...change }) => {
        const failingSince = since === undefined ? undefined : wallTimeAt(clock, since);
        return endpointResultValue({ ...change, at: wallTimeAt(clock, at), failingSince });
      });
      const written = await Promise.allSettled(values.map((value) => this.#write(webhookId, value)));
      // A write fails only once the publisher is closed.
      if (written.some(({ status }) => status === 'rejected')) break;
    }
    this.#endpoints.delete(webhookId);
  }

  #write(webhookId: string, value: Buffer, isWanted?: WantedCheck): Promise<'written' | 'abandoned'> {
    const key = Buffer.from(webhookId, 'utf8');
    const record = { key, value, headers: noHeaders };
    return this.#tryWrite(record, isWanted).then((written) =>
      written === 'too_large' ? this.#writeUntilAllowed(record, isWanted) : written,
    );
  }

  #tryWrite(record: ResultRecord, isWanted?: WantedCheck): Promise<WriteResult> {
    this.#partitions = this.#writer.partitions ?? this.#partitions;
    return this.#writer.write(partitionOf(record.key, this.#partitions), record, isWanted);
  }

  /** Tries a record that was refused for its size again and again. In that time the topic counts as failing. */
  async #writeUntilAllowed(record: ResultRecord, isWanted?: WantedCheck): Promise<'written' | 'abandoned'> {
    const { clock, topic, events } = this.#options;
    this.#refused += 1;
    try {
      while (!this.#closing.signal.aborted) {
        const error = new ResultRefusedError(`${topic} refuses a record of ${record.value.length} bytes for its size`);
        events.handoffFailed({ kind: 'result', topic, error, retryInMs: refusedRetryMs });
        await sleep(clock, refusedRetryMs, this.#closing.signal);
        const written = await this.#tryWrite(record, isWanted);
        if (written !== 'too_large') return written;
      }
    } finally {
      this.#refused -= 1;
    }
    throw new PublisherClosedError();
  }
}

interface ResultRecord extends OutgoingRecord {
  readonly key: Buffer;
  readonly value: Buffer;
}

const noHeaders: OutgoingRecord['headers'] = [];

/** A change with its monotonic time. */
interface TimedChange extends EndpointChange {
  readonly at: number;
}

interface EndpointWrites {
  /** The changes to be written after the one that is being written. */
  readonly waiting: TimedChange[];
  /** Resolves once all changes are written. */
  done: Promise<void>;
}
