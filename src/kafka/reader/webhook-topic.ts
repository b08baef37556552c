import type { Kafka } from 'kafkajs';
import type { FramedValues } from '../../certificates/framing.ts';
import type { Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { CatchUp } from './catch-up.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { TopicFollower } from './topic-follower.ts';
import { openTopicLog, type TopicLog } from './topic-log.ts';
import { TopicTable, type Table } from './topic-table.ts';

export interface WebhookTopicOptions {
  /** A client for reading. */
  readonly kafka: Kafka;
  readonly topic: string;
  readonly table: Table;
  /** Values in Confluent framing; without it they are no documents. */
  readonly framed?: FramedValues;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'>;
  readonly clock: Clock;
}

/** The topic is no longer read, so nobody learns where it ends. */
export class WebhookTopicClosedError extends Error {
  override readonly name = 'WebhookTopicClosedError';
}

/** What leaving may take when a broker does not answer. */
const closeTimeoutMs = 2_000;

/** Starts to read the topic into the table, and to follow it. Returns at once; Kafka and the topic may come later. */
export function startWebhookTopic(options: WebhookTopicOptions): WebhookTopic {
  return new WebhookTopic(options, openTopicLog(options.kafka, options.topic));
}

/** The webhook configurations as their topic has them: a table of the newest version of each. */
export class WebhookTopic implements AsyncDisposable {
  readonly #topic: string;
  readonly #clock: Clock;
  readonly #log: TopicLog;
  readonly #catchUp: CatchUp;
  readonly #follower: TopicFollower;
  readonly #complete = Promise.withResolvers<void>();
  #isComplete = false;

  constructor({ topic, table, framed, events, clock }: WebhookTopicOptions, log: TopicLog) {
    this.#topic = topic;
    this.#clock = clock;
    this.#log = log;
    this.#follower = new TopicFollower({
      topic,
      log,
      table: new TopicTable(table, framed),
      events,
      clock,
      progressed: () => this.#progressed(),
      restarted: () => this.#catchUp.restarted(),
    });
    this.#catchUp = new CatchUp({
      ask: () => this.#follower.askEnds(),
      hasReached: (ends) => this.#follower.hasReached(ends),
      clock,
    });
    // Nobody has to wait for it.
    this.#complete.promise.catch(() => undefined);
  }

  /** Resolves once the table holds all that the topic held when it was first reached. Rejects when closed before. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  /** Stays true from then on, whatever becomes of the topic. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Records between the table and the end of the topic, as far as known. */
  lagRecords(): number {
    return this.#follower.lagRecords();
  }

  /**
   * Resolves once the table has reached the end that the topic has now, over all partitions known: one that was added
   * counts from its discovery on, 30 s later at most. Waits for as long as Kafka can't be asked; rejects only with
   * `WebhookTopicClosedError`.
   */
  caughtUp(): Promise<void> {
    return this.#catchUp.caughtUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new WebhookTopicClosedError(`${this.#topic} is no longer read`);
    this.#catchUp.close(reason);
    this.#complete.reject(reason);
    const parted = this.#follower[Symbol.asyncDispose]().then(() => this.#log[Symbol.asyncDispose]());
    await within(this.#clock, closeTimeoutMs, parted);
  }

  #progressed(): void {
    if (!this.#isComplete) {
      this.#isComplete = true;
      this.#complete.resolve();
    }
    this.#catchUp.progressed();
  }
}
