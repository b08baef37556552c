import { sleep, type Clock } from '../lib/clock.ts';
import type { KafkaEvents } from './events.ts';
import { insist } from './insist.ts';
import type { ConsumerHooks } from './kafkajs/hooks.ts';
import type { TopicIds } from './kafkajs/topic-ids.ts';

type Answerer = Pick<ConsumerHooks, 'topicIds'>;

interface TopicIdentitiesOptions {
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: Clock;
}

const noIds: TopicIds = new Map();
/** A topic that is read exists; brokers hear of it within a moment of each other, unless it is gone again. */
const patienceMs = 5000;
const askAgainMs = 100;

/**
 * Which topics a reader has read from, by their ids. A topic that is deleted and made anew keeps its name: offsets of
 * the old one mean nothing in the new one, and Kafka takes a moment to forget the commits.
 */
export class TopicIdentities {
  readonly #options: TopicIdentitiesOptions;
  /** All that were ever told, by topic: a broker that lags behind tells an old one again. */
  readonly #known = new Map<string, Set<string>>();

  constructor(options: TopicIdentitiesOptions) {
    this.#options = options;
  }

  /** The ids as they are at present; none where brokers tell none, or of a client that can't ask. */
  async ask(answerer: Answerer, topics: readonly string[]): Promise<TopicIds> {
    return (await answerer.topicIds?.(topics)) ?? noIds;
  }

  /** The same, asking until a broker answers, and for a while until it knows all topics: one may lag behind. */
  async insist(answerer: Answerer, topics: readonly string[], signal: AbortSignal): Promise<TopicIds> {
    const { clock } = this.#options;
    const patientUntil = clock.now() + patienceMs;
    const doing = 'asking for the ids of the topics';
    while (true) {
      const ids = await insist(async () => answerer.topicIds?.(topics), { ...this.#options, doing, signal });
      if (ids === undefined) return noIds;
      if (topics.every((topic) => ids.has(topic)) || signal.aborted || clock.now() >= patientUntil) return ids;
      await sleep(clock, askAgainMs, signal);
    }
  }

  /** Takes what was answered, and returns the topics that are others than before. */
  note(ids: TopicIds): readonly { readonly topic: string; readonly id: string }[] {
    return [...ids].map(([topic, id]) => ({ topic, id })).filter(({ topic, id }) => this.#isRemade(topic, id));
  }

  #isRemade(topic: string, id: string): boolean {
    const known = this.#known.get(topic) ?? new Set();
    const isRemade = known.size > 0 && !known.has(id);
    this.#known.set(topic, known.add(id));
    return isRemade;
  }
}
