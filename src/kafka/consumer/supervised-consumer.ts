import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import type { Assignment } from './assignment.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import type { KafkaEvents } from '../kafka-events.ts';

/** A consumer from start to stop, as the supervisor sees it. */
export interface SupervisedGroupConsumer {
  /** Resolves to why, once it has stopped for good. */
  readonly crashed: Promise<Error>;
  readonly assignment: Assignment | undefined;
  readonly lastActivityAt: number;
  start(): Promise<void>;
  /** Starts over with topics that were deleted and made anew. Rejects when Kafka does not answer. */
  recheckTopics(): Promise<void>;
  stop(graceMs: number): Promise<boolean>;
}

export interface SupervisedConsumerOptions {
  readonly groupId: string;
  /** The topics to read that exist at present. */
  readonly findTopics: () => Promise<readonly string[]>;
  readonly createConsumer: (topics: readonly string[]) => SupervisedGroupConsumer;
  /** Why the consumer makes no progress, although it says nothing of it; undefined while all goes well. */
  readonly stalledPartition: () => string | undefined;
  readonly events: Pick<KafkaEvents, 'consumerCrashed' | 'kafkaUnreachable'>;
  readonly clock: Clock;
}

/** How often we look for topics that came or went, and whether the consumer still makes progress. */
const lookEveryMs = 30_000;
/** How often we look whether the topics are the ones that we read: one that is gone for longer is not read unseen when it is back. */
const recheckEveryMs = 1000;
/** So many crashes in so short a time are not going to heal by one more try. */
const maxCrashes = 5;
const crashWindowMs = 10 * 60_000;
/** A consumer that is given up for another has this long to finish what is under way. */
const replaceGraceMs = 5000;

type Ending =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'topics_changed' }
  | { readonly kind: 'crashed'; readonly error: Error };

/** Keeps one group's consumer going: a new one when the old one has crashed for good or the topics to read are others. */
export class SupervisedConsumer {
  readonly #options: SupervisedConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #failed = Promise.withResolvers<Error>();
  readonly #backoff = new Backoff({ firstMs: 250, longestMs: 10_000 });
  #consumer: SupervisedGroupConsumer | undefined;
  #crashes: readonly number[] = [];
  #supervision: Promise<void> = Promise.resolve();
  #lastSearchAt: number;

  constructor(options: SupervisedConsumerOptions) {
    this.#options = options;
    this.#lastSearchAt = options.clock.now();
  }

  /** Resolves to why, once there is no use in trying again. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  get assignment(): Assignment | undefined {
    return this.#consumer?.assignment;
  }

  /** Epoch milliseconds of the last thing that the consumer, or the search for one, did. */
  get lastActivityAt(): number {
    return Math.max(this.#lastSearchAt, this.#consumer?.lastActivityAt ?? 0);
  }

  start(): void {
    this.#supervision = this.#supervise();
  }

  /** Resolves to whether all that was under way is settled and committed. */
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
        this.#crashes = [];
        await this.#pause(error);
      }
    }
  }

  async #runOne(topics: readonly string[]): Promise<Ending> {
    const { signal } = this.#stopping;
    const consumer = this.#options.createConsumer(topics);
    this.#consumer = consumer;
    const ended = new AbortController();
    try {
      await consumer.start();
      this.#backoff.reset();
      return await Promise.race([
        consumer.crashed.then((error): Ending => ({ kind: 'crashed', error })),
        this.#watch(consumer, topics, AbortSignal.any([signal, ended.signal])),
      ]);
    } finally {
      ended.abort();
      if (!signal.aborted) await consumer.stop(replaceGraceMs);
    }
  }

  async #topicsToRead(): Promise<readonly string[]> {
    const { clock, findTopics } = this.#options;
    const { signal } = this.#stopping;
    while (true) {
      this.#lastSearchAt = clock.now();
      const topics = await findTopics();
      if (topics.length > 0 || signal.aborted) return topics;
      await sleep(clock, this.#backoff.next(), signal);
    }
  }

  async #watch(consumer: SupervisedGroupConsumer, topics: readonly string[], signal: AbortSignal): Promise<Ending> {
    const { clock, findTopics, stalledPartition: standstill } = this.#options;
    let stoodStill = false;
    let lookedAt = clock.now();
    const ending = await every<Ending>({ ms: recheckEveryMs, clock, signal }, async () => {
      // Whoever can't be asked now is asked again the next time.
      await consumer.recheckTopics().catch(() => undefined);
      if (clock.now() - lookedAt < lookEveryMs) return undefined;
      lookedAt = clock.now();
      const why = standstill();
      // Once may be a record that has just come.
      if (why !== undefined && stoodStill) return { kind: 'crashed', error: new PartitionStalledError(why) };
      stoodStill = why !== undefined;
      const found = await findTopics().catch(() => undefined);
      const changed = found !== undefined && found.length > 0 && !isSameSet(found, topics);
      return changed ? { kind: 'topics_changed' } : undefined;
    });
    return ending ?? { kind: 'stopped' };
  }

  /**
   * A topic that is gone is no fault of the consumer: the next one reads the others. While Kafka can't be reached the
   * search for topics fails, which forgets the crashes: an outage ends by itself.
   */
  async #giveUpOrPause(error: Error): Promise<boolean> {
    const { clock, events, groupId } = this.#options;
    events.consumerCrashed({ groupId, error, restarting: false });
    const now = clock.now();
    const counts = kafkaErrorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION';
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), ...(counts ? [now] : [])];
    if (this.#crashes.length >= maxCrashes) {
      this.#failed.resolve(new Error(`the consumer of group ${groupId} crashed ${maxCrashes} times`, { cause: error }));
      return true;
    }
    await sleep(clock, this.#backoff.next(), this.#stopping.signal);
    return false;
  }

  async #pause(error: unknown): Promise<void> {
    const { clock, events, groupId } = this.#options;
    this.#lastSearchAt = clock.now();
    const retryInMs = this.#backoff.next();
    events.kafkaUnreachable({ doing: `starting the consumer of group ${groupId}`, error, retryInMs });
    await sleep(clock, retryInMs, this.#stopping.signal);
  }
}

/** The client says nothing of it, but what it is to read does not come. */
export class PartitionStalledError extends Error {
  override readonly name = 'PartitionStalledError';
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}
