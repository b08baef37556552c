import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadReason } from '../../deliveries/settlement.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { RetryPublisher, RecordContext } from '../../pipeline/ports.ts';
import type { OutgoingRecord } from './batch.ts';
import {
  deadDeliveryHeaders,
  deadRecordHeaders,
  withOwnHeaders,
  type DeliveryDeadLetter,
  type RecordDeadLetter,
} from '../records/dead-letter.ts';
import { retryHeaders } from '../records/envelope.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { PublisherClosedError, type WantedCheck, type WriteResult } from './partition-writer.ts';
import type { Tier } from '../topics/tier.ts';
import type { Compression, ProducerFactory } from './topic-producer.ts';
import { TopicWriter } from './topic-writer.ts';

export interface RetryPublisherOptions {
  readonly kafka: ProducerFactory;
  /** In the order of `RETRY_DELAYS`. */
  readonly tiers: readonly Pick<Tier, 'topic' | 'label'>[];
  readonly deadLetterTopic: string;
  readonly compression: Compression;
  readonly events: Pick<KafkaEvents, 'retryScheduled' | 'deadLetterWritten' | 'handoffFailed'>;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** How long a record waits for others to share its batch. */
  readonly lingerMs: number;
}

/** Builds the handoff; each topic's connections are made by the first write to it. */
export function createRetryPublisher(options: RetryPublisherOptions): KafkaRetryPublisher {
  return new KafkaRetryPublisher(options);
}

/** One way to bury: the reason that is given, and what is written for it. */
interface DeadLetterAttempt {
  readonly reason: DeadReason;
  readonly record: OutgoingRecord;
}

/** Not even the headers of a dead letter fit into a batch of the dead-letter topic. */
class DeadLetterRefusedError extends Error {
  override readonly name = 'DeadLetterRefusedError';
}

const deadLetterRetryMs = 10_000;

/** Durable publication to Kafka. A topic that refuses writes holds up nobody but those that wait for it. */
export class KafkaRetryPublisher implements RetryPublisher, AsyncDisposable {
  readonly #options: RetryPublisherOptions;
  readonly #tiers: readonly TopicWriter[];
  readonly #deadLetters: TopicWriter;
  readonly #closing = new AbortController();

  constructor(options: RetryPublisherOptions) {
    this.#options = options;
    this.#tiers = options.tiers.map(({ topic }) => this.#topicWriter('retry', topic));
    this.#deadLetters = this.#topicWriter('dead_letter', options.deadLetterTopic);
  }

  async publishRetry(
    delivery: Delivery,
    to: { readonly tier: number; readonly dueAt: number },
    context: RecordContext,
  ): Promise<WriteResult> {
    const { writer, label } = this.#tier(to.tier);
    const { key, body: value } = delivery;
    const record = { key, value, headers: retryHeaders(delivery, to.dueAt) };
    const written = await writer.write(delivery.source.partition, record, wantedWhileWaiting(context));
    if (written === 'written') this.#options.events.retryScheduled({ tier: label, records: 1 });
    return written;
  }

  publishDeadLetter(delivery: Delivery, death: DeliveryDeadLetter): Promise<DeadReason> {
    const { key, body: value } = delivery;
    const { partition } = delivery.source;
    const headersTooLarge = deadDeliveryHeaders(delivery, { ...death, reason: 'too_large' });
    const withoutValue: readonly DeadLetterAttempt[] = [
      { reason: 'too_large', record: { key, value: null, headers: headersTooLarge } },
      { reason: 'too_large', record: { key: null, value: null, headers: headersTooLarge } },
    ];
    // What a tier refused for its size has lost its value, whatever the dead-letter topic would take.
    if (death.reason === 'too_large') return this.#publishFirstAccepted(partition, withoutValue);
    const headers = deadDeliveryHeaders(delivery, death);
    return this.#publishFirstAccepted(partition, [
      { reason: death.reason, record: { key, value, headers } },
      ...withoutValue,
    ]);
  }

  publishRecordDeadLetter(record: SourceRecord, death: RecordDeadLetter): Promise<DeadReason> {
    const { key, value, partition } = record;
    const ours = deadRecordHeaders(record, death, death.reason);
    const oursTooLarge = deadRecordHeaders(record, death, 'too_large');
    return this.#publishFirstAccepted(partition, [
      { reason: death.reason, record: { key, value, headers: withOwnHeaders(record, ours) } },
      { reason: 'too_large', record: { key, value: null, headers: withOwnHeaders(record, oursTooLarge) } },
      { reason: 'too_large', record: { key: null, value: null, headers: oursTooLarge } },
    ]);
  }

  /** Topics whose latest write failed. What waits for them is tried again all the while. */
  failingTopics(): readonly string[] {
    const { tiers, deadLetterTopic } = this.#options;
    const failing = tiers.map(({ topic }) => topic).filter((_, tier) => this.#tiers[tier]?.isFailing === true);
    return this.#deadLetters.isFailing ? [...failing, deadLetterTopic] : failing;
  }

  /** Rejects what still waits with `PublisherClosedError`: who wants it written waits for it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const writers = [...this.#tiers, this.#deadLetters];
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
  }

  /** Tries one burial after the other until the brokers take one; a topic that takes none is somebody's mistake. */
  async #publishFirstAccepted(partition: number, burials: readonly DeadLetterAttempt[]): Promise<DeadReason> {
    const { clock, deadLetterTopic: topic, events } = this.#options;
    while (!this.#closing.signal.aborted) {
      for (const { reason, record } of burials) {
        if ((await this.#deadLetters.write(partition, record)) === 'too_large') continue;
        events.deadLetterWritten({ reason });
        return reason;
      }
      const error = new DeadLetterRefusedError(`${topic} refuses a dead letter without key and value for its size`);
      events.handoffFailed({ kind: 'dead_letter', topic, error, retryInMs: deadLetterRetryMs });
      await sleep(clock, deadLetterRetryMs, this.#closing.signal);
    }
    throw new PublisherClosedError();
  }

  #tier(tier: number): { readonly writer: TopicWriter; readonly label: string } {
    const writer = this.#tiers[tier];
    const label = this.#options.tiers[tier]?.label;
    if (writer === undefined || label === undefined) throw new RangeError(`there is no tier ${tier}`);
    return { writer, label };
  }

  #topicWriter(kind: 'retry' | 'dead_letter', topic: string): TopicWriter {
    const { kafka, compression, clock, events, random, lingerMs } = this.#options;
    return new TopicWriter({
      kafka,
      topic,
      compression,
      clock,
      random,
      lingerMs,
      failed: (error, retryInMs) => events.handoffFailed({ kind, topic, error, retryInMs }),
    });
  }
}

/** Until it is asked for the first time, when the batch is about to be sent. */
function wantedWhileWaiting(context: RecordContext): WantedCheck {
  let isAside = true;
  context.markWaiting();
  return () => {
    if (isAside) context.markActive();
    isAside = false;
    return context.stillOwned();
  };
}
