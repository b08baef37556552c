import type { Delivery } from '../../deliveries/delivery.ts';
import type { EndpointChange, GateEvents } from '../../flow/gates.ts';
import type { CertificateEvents, ExpiringCertificate } from '../../deliveries/certificate-watch.ts';
import { wallTimeAt, within, type Clock } from '../../lib/clock.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import type { DeliveryFacts, ResultPublisher } from '../../pipeline/delivery-reporter.ts';
import type { RecordFacts, RecordResultPublisher } from '../../pipeline/undelivered-records.ts';
import type { AssignmentContext } from '../../pipeline/ports.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { OwedResult } from '../records/envelope.ts';
import {
  certificateResultValue,
  deliveryResultValue,
  endpointResultValue,
  recordResultValue,
  shortenedResult,
} from '../records/result.ts';
import { partitionOf } from './key-partition.ts';
import type { WantedCheck, WriteResult } from './partition-writer.ts';
import { TopicWriter, type TopicWriterOptions } from './topic-writer.ts';

export interface ResultPublisherOptions extends Omit<TopicWriterOptions, 'failed'> {
  /** The partitions that the topic has at the start. Later numbers come with the writes. */
  readonly partitions: number;
  readonly owe: (result: OwedResult, assignment: AssignmentContext) => Promise<WriteResult>;
  readonly events: Pick<KafkaEvents, 'handoffFailed'>;
  readonly clock: Clock;
}

/** The results topic refuses even a shortened record for its size. */
class ResultRefusedError extends Error {
  override readonly name = 'ResultRefusedError';
}

type Published = 'written' | 'abandoned';

/** Longest time in ms that disposal waits for changes of endpoints. Batches fill for half a second at most. */
const flushMs = 1000;
/** Changes of an endpoint that wait while the topic takes records. A circuit changes far less often than records are written. */
const mostWaitingChanges = 100;

/**
 * Publishes what becomes of deliveries and of endpoints to the results topic. Owns one `TopicWriter`, and the changes of
 * endpoints that are not acknowledged yet.
 *
 * The pipeline calls `publish` and `publishRecord`, the gates `circuitChanged`, and the `CertificateWatch` `certificateExpiring`. The service disposes of it after the consumers have stopped.
 *
 * | Record about | If the topic refuses it                                                                                  |
 * | ------------ | -------------------------------------------------------------------------------------------------------- |
 * | a delivery   | it is owed: written to a tier. Whoever reads it there tries again, and writes it to the next tier if need be |
 * | an endpoint  | it is tried again, and the changes that wait become one, from the first state to the last                |
 *
 * Promises:
 * - The key is the id of the webhook, or else of the owner, or else the position of the record. Its partition is that of Kafka's Java producer. All records of a webhook are in one
 *   partition, in their order.
 * - Nothing that waits here grows without a limit. Flow control bounds the deliveries. Each endpoint has at most 100 changes
 *   that are being written, and 100 that wait.
 * - No request is repeated because a result can't be written: once a tier has the result, the delivery is settled.
 * - A record that is refused for its size is shortened. If that is refused too, the topic is misconfigured: `failingTopics`
 *   says so until it takes a record.
 * - Disposal rejects calls of `publish` that are pending with `PublisherClosedError`. Their offsets are not committed.
 */
export class KafkaResultPublisher
  implements ResultPublisher, RecordResultPublisher, GateEvents, CertificateEvents, AsyncDisposable
{
  readonly #options: ResultPublisherOptions;
  readonly writer: TopicWriter;
  readonly #closing = new AbortController();
  readonly #endpoints = new Map<string, EndpointWrites>();
  /** Failed writes by partition. */
  readonly #failures = new Map<number, number>();
  #partitions: number;
  /** True after a record that is refused for its size, until another one is taken. */
  #isRefusing = false;

  constructor(options: ResultPublisherOptions) {
    this.#options = options;
    this.#partitions = options.partitions;
    const { events, topic } = options;
    this.writer = new TopicWriter({
      ...options,
      failed: (error, retryInMs, partition) => {
        events.handoffFailed({ kind: 'result', topic, error, retryInMs });
        this.#failures.set(partition, (this.#failures.get(partition) ?? 0) + 1);
        this.writer.dropUnwanted();
      },
    });
  }

  async publish(delivery: Delivery, facts: DeliveryFacts, assignment: AssignmentContext): Promise<Published> {
    const key = Buffer.from(delivery.webhookId, 'utf8');
    const value = deliveryResultValue(delivery, facts, this.#options.clock.now());
    const result = { key, value, partition: delivery.source.partition, timesOwed: 0 };
    const paid = await this.pay(result, assignment);
    if (paid === 'too_large') throw new ResultRefusedError('results topic and tiers refuse a result for its size');
    return paid === 'abandoned' ? 'abandoned' : 'written';
  }

  async publishRecord(record: SourceRecord, facts: RecordFacts, assignment: AssignmentContext): Promise<Published> {
    const { topic, partition, offset } = record;
    const key = Buffer.from(facts.certificate?.ownerId ?? `${topic}/${partition}/${offset}`, 'utf8');
    const value = recordResultValue(record, facts, this.#options.clock.now());
    const paid = await this.pay({ key, value, partition, timesOwed: 0 }, assignment);
    // If the topic and the tiers refuse some hundred bytes, nothing can be written at all, and `failingTopics` says so.
    return paid === 'abandoned' ? 'abandoned' : 'written';
  }

  /** Writes a result, or owes it. `abandoned`: neither, because the assignment ended. `too_large`: the tiers refuse it, too. */
  async pay(result: OwedResult, assignment: AssignmentContext): Promise<WriteResult | 'owed'> {
    const partition = this.#partitionOf(result.key);
    const failures = this.#failures.get(partition);
    const isWanted = (): boolean => this.#failures.get(partition) === failures && !assignment.isCutOff;
    if (isWanted() && (await this.#write(result, isWanted)) === 'written') return 'written';
    const owed = await this.#options.owe(result, assignment);
    return owed === 'written' ? 'owed' : owed;
  }

  /** Ends the waits of assignments that are cut off: their results are owed. */
  abort(): void {
    this.writer.dropUnwanted();
  }

  circuitChanged(change: EndpointChange): void {
    const changed = { ...change, at: this.#options.clock.monotonic() };
    const writes = this.#endpoints.get(change.webhookId);
    if (writes === undefined) this.#startWriting(change.webhookId, { waiting: [changed] });
    else this.#addChange(writes.waiting, changed);
  }

  certificateExpiring(certificate: ExpiringCertificate): void {
    const expiring = { ...certificate, at: this.#options.clock.monotonic() };
    const writes = this.#endpoints.get(certificate.webhookId);
    if (writes === undefined) this.#startWriting(certificate.webhookId, { waiting: [], expiring });
    else writes.expiring = expiring;
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
    await this.writer[Symbol.asyncDispose]();
  }

  get #isFailing(): boolean {
    return this.writer.isFailing || this.#isRefusing;
  }

  #startWriting(webhookId: string, first: Omit<EndpointWrites, 'done'>): void {
    const writes: EndpointWrites = { ...first, done: Promise.resolve() };
    this.#endpoints.set(webhookId, writes);
    writes.done = this.#writeChanges(webhookId, writes);
  }

  /** Writes the changes of an endpoint in their order, those that wait together. Does not reject. */
  async #writeChanges(webhookId: string, writes: EndpointWrites): Promise<void> {
    const { clock } = this.#options;
    while (writes.waiting.length > 0 || writes.expiring !== undefined) {
      const { expiring } = writes;
      writes.expiring = undefined;
      const changes = writes.waiting.splice(0).map(({ at, failingSince: since, ...change }) => {
        const failingSince = since === undefined ? undefined : wallTimeAt(clock, since);
        return endpointResultValue({ ...change, failingSince }, wallTimeAt(clock, at));
      });
      const values = [
        ...changes,
        ...(expiring === undefined ? [] : [certificateResultValue(expiring, wallTimeAt(clock, expiring.at))]),
      ];
      const key = Buffer.from(webhookId, 'utf8');
      const written = await Promise.allSettled(values.map((value) => this.#write({ key, value })));
      // A write fails only once the publisher is closed.
      if (written.some(({ status }) => status === 'rejected')) break;
    }
    this.#endpoints.delete(webhookId);
  }

  /** Writes a record, or a shortened one if its size is refused. */
  async #write({ key, value }: Pick<OwedResult, 'key' | 'value'>, isWanted?: WantedCheck): Promise<WriteResult> {
    const { topic, events } = this.#options;
    const write = (tried: Buffer): Promise<WriteResult> =>
      this.writer.write(this.#partitionOf(key), { key, value: tried, headers: [] }, isWanted);
    let written = await write(value);
    if (written === 'too_large') written = await write(shortenedResult(value));
    if (written === 'written') this.#isRefusing = false;
    if (written !== 'too_large') return written;
    this.#isRefusing = true;
    const error = new ResultRefusedError(`${topic} refuses a record of ${value.length} bytes for its size`);
    events.handoffFailed({ kind: 'result', topic, error, retryInMs: 0 });
    return written;
  }

  #partitionOf(key: Buffer | null): number {
    this.#partitions = this.writer.partitions ?? this.#partitions;
    return partitionOf(key ?? noKey, this.#partitions);
  }
}

const noKey = Buffer.alloc(0);

/** A change with its monotonic time. */
interface TimedChange extends EndpointChange {
  readonly at: number;
}

interface EndpointWrites {
  /** The changes to be written after the one that is being written. */
  readonly waiting: TimedChange[];
  /** The latest news of its certificate, if they wait. */
  expiring?: (ExpiringCertificate & { readonly at: number }) | undefined;
  /** Resolves once all changes are written. */
  done: Promise<void>;
}
