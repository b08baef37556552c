import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { Consumer, TopicIds, TopicStates, Partitions } from '../client/consumer.ts';
import { retryUntilSuccess } from '../client/retry-until-success.ts';
import type { Admission } from './admission.ts';
import type { Assignment } from './assignment.ts';
import { pickTopics, type PauseControl } from './pause-control.ts';

type StateSource = Partial<Pick<Consumer, 'topicStates'>>;

interface RecreatedTopicsOptions {
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
}

/** The answer of a broker. Empty if brokers are too old to have ids (before Kafka 2.8), or the client can't ask yet. */
export interface TopicAnswer extends TopicStates {
  /** Topics that the broker does not know. */
  readonly gone: readonly string[];
}

const noAnswer: TopicAnswer = { clusterId: undefined, ids: new Map(), denied: [], leaders: new Map(), gone: [] };
/**
 * Time in ms for which a topic that a broker does not know is asked for again. A topic that is read exists, and brokers
 * learn of it shortly after each other.
 */
const patienceMs = 5000;
/** Pause in ms between two questions while the answer is incomplete. */
const askAgainMs = 100;

/**
 * Remembers the ids of the topics that were read, to detect a topic that was deleted and created again. The new topic has
 * the same name, but offsets of the old one mean nothing in it. Kafka deletes the group's commits, but only after a while.
 */
export class RecreatedTopics {
  readonly #options: RecreatedTopicsOptions;
  /** All ids seen so far, by topic. A broker that lags behind may report an old one again. */
  readonly #knownIds = new Map<string, Set<string>>();

  constructor(options: RecreatedTopicsOptions) {
    this.#options = options;
  }

  /** Asks once. Rejects if no broker answers. */
  async fetchStates(source: StateSource, topics: readonly string[]): Promise<TopicAnswer> {
    const states = await source.topicStates?.(topics);
    if (states === undefined) return noAnswer;
    return { ...states, gone: topics.filter((topic) => !states.ids.has(topic) && !states.denied.includes(topic)) };
  }

  /** Asks until a broker answers. Asks again, for up to 5 s in all, until it knows all topics: it may lag behind. */
  async fetchStatesWithRetry(
    source: StateSource,
    topics: readonly string[],
    signal: AbortSignal,
  ): Promise<TopicAnswer> {
    const { clock, events } = this.#options;
    const deadline = clock.monotonic() + patienceMs;
    const options = { doing: 'asking about the topics', events, clock, signal };
    while (true) {
      const answer = await retryUntilSuccess(async () => this.fetchStates(source, topics), options);
      if (answer.gone.length === 0 || signal.aborted || clock.monotonic() >= deadline) return answer;
      await sleep(clock, askAgainMs, signal);
    }
  }

  /** Remembers the ids. Returns those of topics that had another id before, which were recreated. */
  recordIds(ids: TopicIds): TopicIds {
    return new Map([...ids].filter(([topic, id]) => this.#isRecreated(topic, id)));
  }

  #isRecreated(topic: string, id: string): boolean {
    const known = this.#knownIds.get(topic) ?? new Set();
    const isRecreated = known.size > 0 && !known.has(id);
    this.#knownIds.set(topic, known.add(id));
    return isRecreated;
  }
}

interface SubscribedTopicsOptions {
  readonly consumer: Pick<Consumer, 'seek'>;
  readonly pauseControl: PauseControl;
  readonly admission: Pick<Admission, 'restart'>;
  readonly recreatedTopics: RecreatedTopics;
  readonly events: Pick<KafkaEvents, 'topicRecreated'>;
}

/** Applies what the brokers say about the topics of an assignment: which to leave out, and which to read from the start. */
export class SubscribedTopics {
  readonly #options: SubscribedTopicsOptions;

  constructor(options: SubscribedTopicsOptions) {
    this.#options = options;
  }

  /** Takes the first answer for an assignment, and the partitions whose commits belong to an earlier topic. */
  begin(assignment: Assignment, answer: TopicAnswer, recreated: Partitions): void {
    this.#options.recreatedTopics.recordIds(answer.ids);
    this.#restart(recreated);
    this.#exclude(assignment, answer);
  }

  recheck(assignment: Assignment, answer: TopicAnswer): void {
    const recreated = this.#options.recreatedTopics.recordIds(answer.ids);
    for (const [topic, id] of recreated) assignment.topicRecreated(topic, id);
    this.#restart(pickTopics(assignment.assigned, [...recreated.keys()]));
    this.#exclude(assignment, answer);
  }

  /** Leaves out topics that are gone or denied. The brokers refuse commits of denied ones, too. */
  #exclude(assignment: Assignment, answer: TopicAnswer): void {
    assignment.exclude(answer);
    this.#options.pauseControl.exclude(answer, assignment.assigned);
  }

  /** Reads recreated topics from offset 0. Position and commit belong to the deleted topic. */
  #restart(recreated: Partitions): void {
    const { consumer, admission, events } = this.#options;
    for (const [topic, partitions] of Object.entries(recreated)) {
      if (partitions.length === 0) continue;
      events.topicRecreated({ topic, partitions });
      for (const partition of partitions) {
        consumer.seek({ topic, partition, offset: '0' });
        admission.restart(topic, partition, { from: Infinity, to: 0 });
      }
    }
  }
}
