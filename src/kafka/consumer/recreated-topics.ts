import { sleep, type Clock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { retryUntilSuccess } from '../client/retry-until-success.ts';
import type { ConsumerHooks } from '../kafkajs/hooks.ts';
import type { TopicIds } from '../kafkajs/topic-ids.ts';

type TopicIdSource = Pick<ConsumerHooks, 'topicIds'>;

interface RecreatedTopicsOptions {
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: Clock;
}

/** What a broker tells of topics. Nothing, where brokers are too old to tell ids, or the client can't ask. */
export interface TopicAnswer {
  readonly ids: TopicIds;
  /** Those that the broker does not know. */
  readonly gone: readonly string[];
}

const nothing: TopicAnswer = { ids: new Map(), gone: [] };
/** A topic that is read exists; brokers hear of it within a moment of each other, unless it is gone again. */
const patienceMs = 5000;
const askAgainMs = 100;

/**
 * Which topics a reader has read from, by their ids. A topic that is deleted and made anew keeps its name: offsets of
 * the old one mean nothing in the new one, and Kafka takes a moment to forget the commits.
 */
export class RecreatedTopics {
  readonly #options: RecreatedTopicsOptions;
  /** All that were ever told, by topic: a broker that lags behind tells an old one again. */
  readonly #knownIds = new Map<string, Set<string>>();

  constructor(options: RecreatedTopicsOptions) {
    this.#options = options;
  }

  /** Asks once. Rejects when no broker answers. */
  async fetchIds(answerer: TopicIdSource, topics: readonly string[]): Promise<TopicAnswer> {
    const ids = await answerer.topicIds?.(topics);
    return ids === undefined ? nothing : { ids, gone: topics.filter((topic) => !ids.has(topic)) };
  }

  /** Asks until a broker answers, and for a while until it knows all topics: one may lag behind. */
  async fetchIdsWithRetry(
    answerer: TopicIdSource,
    topics: readonly string[],
    signal: AbortSignal,
  ): Promise<TopicAnswer> {
    const { clock } = this.#options;
    const patientUntil = clock.now() + patienceMs;
    const doing = 'asking for the ids of the topics';
    while (true) {
      const told = await retryUntilSuccess(async () => this.fetchIds(answerer, topics), {
        ...this.#options,
        doing,
        signal,
      });
      if (told.gone.length === 0 || signal.aborted || clock.now() >= patientUntil) return told;
      await sleep(clock, askAgainMs, signal);
    }
  }

  /** Takes what was answered, and returns the topics that are others than before, with their ids. */
  recordIds(ids: TopicIds): TopicIds {
    return new Map([...ids].filter(([topic, id]) => this.#isRecreated(topic, id)));
  }

  #isRecreated(topic: string, id: string): boolean {
    const known = this.#knownIds.get(topic) ?? new Set();
    const isRemade = known.size > 0 && !known.has(id);
    this.#knownIds.set(topic, known.add(id));
    return isRemade;
  }
}
