import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadReason } from '../../deliveries/settle.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { AssignmentContext, DeliveryDeadLetter, RecordDeadLetter, RetryPublisher } from '../../pipeline/ports.ts';
import type { OutgoingRecord } from './batch.ts';
import { deadDeliveryHeaders, deadRecordHeaders, withOwnHeaders } from '../records/dead-letter.ts';
import { owedResultHeaders, retryHeaders, type OwedResult } from '../records/envelope.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { PublisherClosedError, type WriteResult } from './partition-writer.ts';
import type { TierWatch } from '../topics/tier-watch.ts';
import type { Tier } from '../topics/wanted-topics.ts';
import { TopicWriter, type TopicWriterOptions } from './topic-writer.ts';

export interface RetryPublisherOptions extends Omit<TopicWriterOptions, 'topic' | 'failed'> {
  /** The tiers in the order of `RETRY_DELAYS`. */
  readonly tiers: readonly Tier[];
  readonly tierWatch: Pick<TierWatch, 'writable' | 'nextLook'>;
  readonly deadLetterTopic: string;
  readonly events: Pick<KafkaEvents, 'retryScheduled' | 'deadLetterWritten' | 'handoffFailed'>;
  readonly clock: Clock;
}

interface DeadLetterAttempt {
  readonly reason: DeadReason;
  readonly record: OutgoingRecord;
}

/** The dead-letter topic refuses even the headers of a dead letter for their size. */
class DeadLetterRefusedError extends Error {
  override readonly name = 'DeadLetterRefusedError';
}

/** Pause in ms before a dead letter that was refused in every version is tried again. It takes an operator to change that. */
const deadLetterRetryMs = 10_000;

/**
 * Publishes retries to the tiers, and dead letters to their topic. Owns one `TopicWriter` for each of these topics. A kafkajs
 * producer fails as a whole when one of its topics does, so the topics must not share one.
 *
 * The first write to a topic opens the connections for it. The service disposes of it after the consumers have stopped. The
 * readiness check reads `failingTopics`.
 *
 * A dead letter that is refused for its size is written with less. First its value is left out, then the record's own headers,
 * then its key. The last version has only our headers, whose sizes are bounded. A topic that refuses even that
 * takes less than it must, which `failingTopics` says. All versions are tried again every 10 s.
 *
 * Promises:
 * - A call resolves only when all in-sync replicas have the record. Its offset is committed after that, so returning early
 *   would lose the delivery.
 * - A retry whose tier would lose it goes to another one, and waits while there is none.
 * - A retry or an owed result is not sent after its assignment has ended. The partition's next owner makes the same delivery.
 * - Disposal rejects calls that are pending with `PublisherClosedError`. Their records are not committed and come again.
 */
export class KafkaRetryPublisher implements RetryPublisher, AsyncDisposable {
  readonly #options: RetryPublisherOptions;
  readonly #tiers: readonly TopicWriter[];
  readonly #deadLetters: TopicWriter;
  readonly #closing = new AbortController();
  /** Dead letters that wait because every version of them was refused. */
  #refusedDeadLetters = 0;

  constructor(options: RetryPublisherOptions) {
    this.#options = options;
    this.#tiers = options.tiers.map(({ topic }) => this.#topicWriter('retry', topic));
    this.#deadLetters = this.#topicWriter('dead_letter', options.deadLetterTopic);
  }

  publishRetry(
    delivery: Delivery,
    to: { readonly tier: number; readonly dueAt: number },
    assignment: AssignmentContext,
  ): Promise<WriteResult> {
    const { key, body: value, source } = delivery;
    const record = { key, value, headers: retryHeaders(delivery, to.dueAt) };
    return this.#publishToTier(to.tier, source.partition, record, assignment);
  }

  /** Writes a result to a tier: to the first one, and one further each time that it comes back. The last tier repeats. */
  publishOwedResult(
    { key, value, partition, timesOwed }: OwedResult,
    assignment: AssignmentContext,
  ): Promise<WriteResult> {
    const { tiers, clock } = this.#options;
    const tier = Math.min(timesOwed, tiers.length - 1);
    const headers = owedResultHeaders(timesOwed + 1, clock.now() + this.#tier(tier).delayMs);
    return this.#publishToTier(tier, partition, { key, value, headers }, assignment);
  }

  publishDeadLetter(delivery: Delivery, deadLetter: DeliveryDeadLetter): Promise<DeadReason> {
    const { key, body: value } = delivery;
    const { partition } = delivery.source;
    const headersTooLarge = deadDeliveryHeaders(delivery, { ...deadLetter, reason: 'too_large' });
    const withoutValue: readonly DeadLetterAttempt[] = [
      { reason: 'too_large', record: { key, value: null, headers: headersTooLarge } },
      { reason: 'too_large', record: { key: null, value: null, headers: headersTooLarge } },
    ];
    // `too_large` always means that the value is missing, even if the dead-letter topic would take it.
    if (deadLetter.reason === 'too_large') return this.#publishFirstAccepted(partition, withoutValue);
    const headers = deadDeliveryHeaders(delivery, deadLetter);
    return this.#publishFirstAccepted(partition, [
      { reason: deadLetter.reason, record: { key, value, headers } },
      ...withoutValue,
    ]);
  }

  publishRecordDeadLetter(record: SourceRecord, deadLetter: RecordDeadLetter): Promise<DeadReason> {
    const { key, value, partition } = record;
    const ours = deadRecordHeaders(record, deadLetter, deadLetter.reason);
    const oursTooLarge = deadRecordHeaders(record, deadLetter, 'too_large');
    return this.#publishFirstAccepted(partition, [
      { reason: deadLetter.reason, record: { key, value, headers: withOwnHeaders(record, ours) } },
      { reason: 'too_large', record: { key, value: null, headers: withOwnHeaders(record, oursTooLarge) } },
      { reason: 'too_large', record: { key, value: null, headers: oursTooLarge } },
      { reason: 'too_large', record: { key: null, value: null, headers: oursTooLarge } },
    ]);
  }

  get writers(): readonly TopicWriter[] {
    return [...this.#tiers, this.#deadLetters];
  }

  /**
   * Returns the topics whose latest write failed, and the dead-letter topic while it refuses every version of a dead letter.
   * Writes that wait for them are tried again until they succeed.
   */
  failingTopics(): readonly string[] {
    const { tiers, deadLetterTopic } = this.#options;
    const failing = tiers.map(({ topic }) => topic).filter((_, tier) => this.#tiers[tier]?.isFailing === true);
    const lacksDeadLetters = this.#deadLetters.isFailing || this.#refusedDeadLetters > 0;
    return lacksDeadLetters ? [...failing, deadLetterTopic] : failing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.writers.map((writer) => writer[Symbol.asyncDispose]()));
  }

  async #publishToTier(
    planned: number,
    partition: number,
    record: OutgoingRecord,
    assignment: AssignmentContext,
  ): Promise<WriteResult> {
    const { tierWatch, clock, events } = this.#options;
    let tier = tierWatch.writable(planned);
    while (tier === undefined) {
      await tierWatch.nextLook();
      if (this.#closing.signal.aborted) throw new PublisherClosedError();
      if (!(await assignment.stillOwned())) return 'abandoned';
      tier = tierWatch.writable(planned);
    }
    const { writer, label } = this.#tier(tier);
    // Readers take the wait from this time and from the due time, so both come from the same wall clock.
    const timed = { ...record, timestamp: clock.now() };
    const written = await writer.write(partition, timed, () => assignment.stillOwned());
    if (written === 'written') events.retryScheduled({ tier: label, records: 1 });
    return written;
  }

  /** Tries one version after the other until the brokers take one. A topic that takes none is misconfigured. */
  async #publishFirstAccepted(partition: number, attempts: readonly DeadLetterAttempt[]): Promise<DeadReason> {
    const { clock, deadLetterTopic: topic, events } = this.#options;
    while (!this.#closing.signal.aborted) {
      for (const { reason, record } of attempts) {
        if ((await this.#deadLetters.write(partition, record)) === 'too_large') continue;
        events.deadLetterWritten({ reason });
        return reason;
      }
      const error = new DeadLetterRefusedError(`${topic} refuses a dead letter without key and value for its size`);
      events.handoffFailed({ kind: 'dead_letter', topic, error, retryInMs: deadLetterRetryMs });
      this.#refusedDeadLetters += 1;
      await sleep(clock, deadLetterRetryMs, this.#closing.signal);
      this.#refusedDeadLetters -= 1;
    }
    throw new PublisherClosedError();
  }

  #tier(tier: number): Tier & { readonly writer: TopicWriter } {
    const writer = this.#tiers[tier];
    const options = this.#options.tiers[tier];
    if (writer === undefined || options === undefined) throw new RangeError(`there is no tier ${tier}`);
    return { ...options, writer };
  }

  #topicWriter(kind: 'retry' | 'dead_letter', topic: string): TopicWriter {
    const { events } = this.#options;
    const failed = (error: unknown, retryInMs: number): void => events.handoffFailed({ kind, topic, error, retryInMs });
    return new TopicWriter({ ...this.#options, topic, failed });
  }
}
