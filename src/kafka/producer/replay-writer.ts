import type { Kafka } from '../client/kafka.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WriteResult } from './partition-writer.ts';
import {
  markerHeaders,
  replayHeaders,
  type DeadLetterRecord,
  type DeadLetterPosition,
} from '../records/replay-headers.ts';
import type { Compression } from './topic-producer.ts';
import { TopicWriter } from './topic-writer.ts';

interface ReplayWriterOptions {
  /** A client with the purpose `writing`. */
  readonly kafka: Pick<Kafka, 'producer'>;
  /** The first tier. */
  readonly tier: { readonly topic: string; readonly delayMs: number };
  readonly deadLetterTopic: string;
  readonly compression: Compression;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

/** Kafka refused all writes for `giveUpAfterMs`. */
export class ReplayRefusedError extends Error {
  override readonly name = 'ReplayRefusedError';
}

/** Time in ms of failed writes after which a replay gives up. A change of leadership takes some seconds only. */
const giveUpAfterMs = 30_000;

interface ReplayedDelivery {
  readonly delivery: Delivery;
  /** The dead letter that the delivery comes from. Undefined if it was planned again from its source. */
  readonly letter: DeadLetterPosition | undefined;
}

/**
 * Writes deliveries to the first tier again, and the markers of replayed and purged dead letters. Each call resolves once all in-sync
 * replicas have all of its records.
 */
export class ReplayWriter implements AsyncDisposable {
  readonly #options: ReplayWriterOptions;
  readonly #tier: TopicWriter;
  readonly #markers: TopicWriter;
  readonly #refused = Promise.withResolvers<never>();
  #failingSince: number | undefined;

  constructor(options: ReplayWriterOptions) {
    this.#options = options;
    this.#tier = this.#writer(options.tier.topic);
    this.#markers = this.#writer(options.deadLetterTopic);
    // Each call races with this promise. Without a call, its rejection must not be reported as unhandled.
    this.#refused.promise.catch(() => undefined);
  }

  /** Returns the result of each delivery, in the order of the deliveries. */
  async publishRetries(deliveries: readonly ReplayedDelivery[]): Promise<readonly WriteResult[]> {
    const now = this.#options.clock.now();
    const dueAt = now + this.#options.tier.delayMs;
    return this.#allWritten(
      deliveries.map(({ delivery, letter }) => {
        const { key, body: value, source } = delivery;
        const headers = replayHeaders(delivery, dueAt, letter);
        return this.#tier.write(source.partition, { key, value, headers, timestamp: now });
      }),
    );
  }

  /** Writes a marker for each dead letter. Call it only after its deliveries are written, because later replays skip it. */
  async markReplayed(letters: readonly DeadLetterRecord[]): Promise<void> {
    return this.#mark(letters, 'replayed');
  }

  async markPurged(letters: readonly DeadLetterRecord[]): Promise<void> {
    return this.#mark(letters, 'purged');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#tier[Symbol.asyncDispose](), this.#markers[Symbol.asyncDispose]()]);
  }

  async #mark(letters: readonly DeadLetterRecord[], why: 'replayed' | 'purged'): Promise<void> {
    const now = this.#options.clock.now();
    await this.#allWritten(
      letters.map((letter) => {
        const { key, partition } = letter.record;
        return this.#markers.write(partition, { key, value: null, headers: markerHeaders(letter, now, why) });
      }),
    );
  }

  async #allWritten(writes: readonly Promise<WriteResult>[]): Promise<readonly WriteResult[]> {
    const results = await Promise.race([Promise.all(writes), this.#refused.promise]);
    this.#failingSince = undefined;
    return results;
  }

  #writer(topic: string): TopicWriter {
    const { kafka, compression, clock } = this.#options;
    const failed = (error: unknown): void => this.#fail(topic, error);
    return new TopicWriter({ kafka, topic, compression, failed, clock, random: Math.random, lingerMs: 0 });
  }

  #fail(topic: string, error: unknown): void {
    const { clock, warn } = this.#options;
    const text = `${topic} can't be written to: ${error instanceof Error ? error.message : String(error)}`;
    this.#failingSince ??= clock.monotonic();
    if (clock.monotonic() - this.#failingSince < giveUpAfterMs) warn(`${text}; trying again`);
    else this.#refused.reject(new ReplayRefusedError(text, { cause: error }));
  }
}
