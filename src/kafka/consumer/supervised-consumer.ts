import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock, every } from '../../lib/clock.ts';
import type { Assignment } from './assignment.ts';
import { isOwnFault } from '../client/faults.ts';
import type { KafkaEvents } from '../kafka-events.ts';

export interface SupervisedGroupConsumer {
  /** Resolves to the reason once it has stopped for good. */
  readonly crashed: Promise<Error>;
  readonly assignment: Assignment | undefined;
  /** Monotonic time. */
  readonly lastActivityAt: number;
  /** Rejects if it cannot be started. */
  start(): Promise<void>;
  /** Pauses topics that were deleted, and reads recreated ones from their first record. Rejects if no broker answers. */
  recheckTopics(): Promise<void>;
  /** Passes the barrier and leaves the group. Resolves to true if nothing was left in flight. */
  stop(graceMs: number): Promise<boolean>;
}

export interface SupervisedConsumerOptions {
  readonly groupId: string;
  /** Returns the topics to read that exist. Rejects if Kafka does not answer. */
  readonly findTopics: () => Promise<readonly string[]>;
  readonly createConsumer: (topics: readonly string[]) => SupervisedGroupConsumer;
  /** Describes a partition that makes no progress although the client reports no error. Undefined if there is none. */
  readonly stalledPartition: () => string | undefined;
  readonly events: Pick<KafkaEvents, 'consumerCrashed' | 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
}

/** Interval in ms of the search for new and deleted topics, and of the check for progress. */
const searchEveryMs = 30_000;
/** Interval in ms of the check of topic ids. A topic that is deleted for longer is paused before it can be recreated. */
const recheckEveryMs = 2000;
/** A consumer that ran for this many ms was no failed try. The next pause is a short one again. */
const stableAfterMs = 30_000;
/** Own faults within the window after which another try is not worthwhile. Refusals and outages of Kafka do not count. */
const maxCrashes = 5;
const crashWindowMs = 10 * 60_000;
/** Time in ms that a consumer has for its requests in flight when another replaces it. */
const replaceGraceMs = 5000;

type Ending =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'topics_changed' }
  | { readonly kind: 'crashed'; readonly error: Error };

/**
 * Keeps one group's consumer running. Owns the current consumer, the history of its crashes, and the pauses between tries.
 *
 * ```
 *   start()        topics found             started
 *   ──────▶ search ───────────▶ new consumer ──────▶ watch
 *             ▲ ▲                    │ can't start     │ crashed, stalled, or other topics
 *             │ └────── pause ◀──────┘                 ▼
 *             └──────────── pause after a crash ◀── stop the consumer
 *
 *   stop() ends it from everywhere. After `maxCrashes`, `failed` resolves and it ends by itself.
 * ```
 *
 * | The consumer ended because                   | Then                                                            |
 * | -------------------------------------------- | --------------------------------------------------------------- |
 * | our code failed, or a partition stalled      | a pause that grows up to 10 s, and a new one; counts as a crash |
 * | Kafka refuses us, or a topic was deleted     | the same, but it does not count, however often it comes         |
 * | the topics to read changed                   | a new one at once                                               |
 * | Kafka can't be reached to find or join       | a pause, and a new search; forgets all crashes                  |
 *
 * `startReader` creates and starts it. The service stops it, and ends the process when `failed` resolves.
 *
 * Promises:
 * - One consumer runs at a time: the old one is stopped before the next one is created. Two would share the intake and
 *   its limits, and one would drain the deliveries of the other.
 * - A stalled partition counts only when two checks in a row find it. A single one may find a record that has just come.
 * - An outage does not end the process: while Kafka can't be reached, the search fails, which forgets the crashes.
 * - During a shutdown, `stop` itself stops the consumer, with the grace period of the shutdown.
 */
export class SupervisedConsumer {
  readonly #options: SupervisedConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #failed = Promise.withResolvers<Error>();
  readonly #backoff = new Backoff({ firstMs: 250, longestMs: 10_000 });
  #consumer: SupervisedGroupConsumer | undefined;
  #topics: readonly string[] | undefined;
  #crashes: readonly number[] = [];
  #supervision: Promise<void> = Promise.resolve();
  #lastSearchAt: number;

  constructor(options: SupervisedConsumerOptions) {
    this.#options = options;
    this.#lastSearchAt = options.clock.monotonic();
  }

  /** Resolves to the reason once it has given up. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  /** Topics found by the last search. Undefined before it. */
  get topics(): readonly string[] | undefined {
    return this.#topics;
  }

  get assignment(): Assignment | undefined {
    return this.#consumer?.assignment;
  }

  /** The monotonic time of the last activity of the consumer, or of the search for topics. */
  get lastActivityAt(): number {
    return Math.max(this.#lastSearchAt, this.#consumer?.lastActivityAt ?? 0);
  }

  start(): void {
    this.#supervision = this.#supervise();
  }

  /** Resolves to true if nothing was left in flight. */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping.abort();
    const drained = (await this.#consumer?.stop(graceMs)) ?? true;
    await this.#supervision;
    return drained;
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const topics = await this.#topicsToRead();
        if (signal.aborted) return;
        const ending = await this.#runOne(topics);
        if (ending.kind === 'crashed' && (await this.#giveUpOrPause(ending.error))) return;
      } catch (error) {
        // Kafka can't be reached. An outage ends by itself, so it forgets the crashes that led to it.
        this.#crashes = [];
        await this.#pauseAfterFailure(error);
      }
    }
  }

  async #runOne(topics: readonly string[]): Promise<Ending> {
    const { signal } = this.#stopping;
    const consumer = this.#options.createConsumer(topics);
    this.#consumer = consumer;
    const ended = new AbortController();
    const startedAt = this.#options.clock.monotonic();
    try {
      await consumer.start();
      return await Promise.race([
        consumer.crashed.then((error): Ending => ({ kind: 'crashed', error })),
        this.#watch(consumer, topics, AbortSignal.any([signal, ended.signal])),
      ]);
    } finally {
      ended.abort();
      if (this.#options.clock.monotonic() - startedAt >= stableAfterMs) this.#backoff.reset();
      if (!signal.aborted) await consumer.stop(replaceGraceMs);
    }
  }

  async #topicsToRead(): Promise<readonly string[]> {
    const { clock, findTopics } = this.#options;
    const { signal } = this.#stopping;
    while (true) {
      this.#lastSearchAt = clock.monotonic();
      const topics = await findTopics();
      this.#topics = topics;
      if (topics.length > 0 || signal.aborted) return topics;
      await sleep(clock, this.#backoff.next(), signal);
    }
  }

  async #watch(consumer: SupervisedGroupConsumer, topics: readonly string[], signal: AbortSignal): Promise<Ending> {
    const { clock, findTopics, stalledPartition } = this.#options;
    let wasStalled = false;
    let searchedAt = clock.monotonic();
    const ending = await every<Ending>({ ms: recheckEveryMs, clock, signal }, async () => {
      // A failed check is repeated two seconds later.
      await consumer.recheckTopics().catch(() => undefined);
      if (clock.monotonic() - searchedAt < searchEveryMs) return undefined;
      searchedAt = clock.monotonic();
      const stalled = stalledPartition();
      if (stalled !== undefined && wasStalled) return { kind: 'crashed', error: new PartitionStalledError(stalled) };
      wasStalled = stalled !== undefined;
      const found = await findTopics().catch(() => undefined);
      if (found === undefined || found.length === 0) return undefined;
      const changed = new Set(found).symmetricDifference(new Set(topics));
      return changed.size > 0 ? { kind: 'topics_changed' } : undefined;
    });
    return ending ?? { kind: 'stopped' };
  }

  /** Returns true after too many own faults. What Kafka refuses may be allowed at any time. */
  async #giveUpOrPause(error: Error): Promise<boolean> {
    const { clock, events, groupId } = this.#options;
    events.consumerCrashed({ groupId, error, restarting: false });
    const now = clock.monotonic();
    const counts = isOwnFault(error);
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), ...(counts ? [now] : [])];
    if (this.#crashes.length >= maxCrashes) {
      this.#failed.resolve(new Error(`the consumer of group ${groupId} crashed ${maxCrashes} times`, { cause: error }));
      return true;
    }
    await sleep(clock, this.#backoff.next(), this.#stopping.signal);
    return false;
  }

  async #pauseAfterFailure(error: unknown): Promise<void> {
    const { clock, events, groupId } = this.#options;
    this.#lastSearchAt = clock.monotonic();
    const retryInMs = this.#backoff.next();
    events.kafkaUnreachable({ doing: `starting the consumer of group ${groupId}`, error, retryInMs });
    await sleep(clock, retryInMs, this.#stopping.signal);
  }
}

/** The client reports no error, but returns no records of a partition that has some. */
class PartitionStalledError extends Error {
  override readonly name = 'PartitionStalledError';
}
