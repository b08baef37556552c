import type { Delivery } from '../../deliveries/delivery.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WriteResult } from './partition-writer.ts';
import {
  markerHeaders,
  replayHeaders,
  type DeadLetterRecord,
  type DeadLetterPosition,
} from '../records/replay-headers.ts';
import type { Compression, ProducerFactory } from './topic-producer.ts';
import { TopicWriter } from './topic-writer.ts';

interface ReplayWriterOptions {
  /** A client for writing. */
  readonly kafka: ProducerFactory;
  /** The first tier. */
  readonly tier: { readonly topic: string; readonly delayMs: number };
  readonly deadLetterTopic: string;
  readonly compression: Compression;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

/** Kafka has refused our writes for too long. */
export class ReplayRefusedError extends Error {
  override readonly name = 'ReplayRefusedError';
}

/** A leadership that moves takes some seconds; beyond this somebody has to look. */
const giveUpAfterMs = 30_000;

interface ReplayedDelivery {
  readonly delivery: Delivery;
  /** The dead letter that it comes from; none if it comes from its source. */
  readonly letter: DeadLetterPosition | undefined;
}

/** Puts deliveries back into the first tier and marks dead letters; each call resolves once all replicas have it all. */
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
    // Who writes nothing does not have to hear of it.
    this.#refused.promise.catch(() => undefined);
  }

  /** What became of each, in turn. */
  async publishRetries(deliveries: readonly ReplayedDelivery[]): Promise<readonly WriteResult[]> {
    const dueAt = this.#options.clock.now() + this.#options.tier.delayMs;
    return this.#allWritten(
      deliveries.map(({ delivery, letter }) => {
        const { key, body: value, source } = delivery;
        return this.#tier.write(source.partition, { key, value, headers: replayHeaders(delivery, dueAt, letter) });
      }),
    );
  }

  /** Only of what is acknowledged: who reads the marker does not send the delivery again. */
  async markReplayed(letters: readonly DeadLetterRecord[]): Promise<void> {
    const now = this.#options.clock.now();
    await this.#allWritten(
      letters.map((letter) => {
        const { key, partition } = letter.record;
        return this.#markers.write(partition, { key, value: null, headers: markerHeaders(letter, now) });
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#tier[Symbol.asyncDispose](), this.#markers[Symbol.asyncDispose]()]);
  }

  async #allWritten(writing: readonly Promise<WriteResult>[]): Promise<readonly WriteResult[]> {
    const written = Promise.all(writing);
    const all = await Promise.race([written, this.#refused.promise]);
    this.#failingSince = undefined;
    return all;
  }

  #writer(topic: string): TopicWriter {
    const { kafka, compression, clock } = this.#options;
    const failed = (error: unknown): void => this.#fail(topic, error);
    return new TopicWriter({ kafka, topic, compression, failed, clock, random: Math.random, lingerMs: 0 });
  }

  #fail(topic: string, error: unknown): void {
    const { clock, warn } = this.#options;
    const text = `${topic} can't be written to: ${error instanceof Error ? error.message : String(error)}`;
    this.#failingSince ??= clock.now();
    if (clock.now() - this.#failingSince < giveUpAfterMs) warn(`${text}; trying again`);
    else this.#refused.reject(new ReplayRefusedError(text, { cause: error }));
  }
}
