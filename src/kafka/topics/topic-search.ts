import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { Kafka } from '../client/kafka.ts';
import { retryUntilSuccess } from '../client/retry-until-success.ts';
import { tierTopicsIn, type WantedTopics } from './wanted-topics.ts';

interface TopicWaitOptions {
  readonly kafka: Kafka;
  readonly topics: readonly string[];
  readonly events: Pick<KafkaEvents, 'topicsMissing' | 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
}

/** Resolves once all of the topics exist, however long Kafka is unreachable. Throws when the signal is aborted. */
export async function waitForTopics({ kafka, topics, events, clock, signal }: TopicWaitOptions): Promise<void> {
  const backoff = new Backoff({ firstMs: 250, longestMs: 10_000 });
  const doing = 'asking for the topics';
  while (true) {
    const found = await retryUntilSuccess(() => findTopics(kafka, topics), { doing, events, clock, signal });
    const missing = topics.filter((topic) => !found.includes(topic));
    events.topicsMissing(missing);
    if (missing.length === 0) return;
    await sleep(clock, backoff.next(), signal);
  }
}

/** Returns those of the topics that exist and that this client may see. Without names, returns all of the cluster. */
export async function findTopics(kafka: Kafka, names?: readonly string[]): Promise<readonly string[]> {
  await using cluster = await kafka.connectCluster();
  return await cluster.listTopics(names);
}

/** Interval in ms of the search for retired tiers among all topics of the cluster. These may be many. */
const listEveryMs = 600_000;

/** Returns a function that finds the existing tiers, the retired ones too, so that no retry is lost. */
export function createTierSearch(
  kafka: Kafka,
  wanted: Pick<WantedTopics, 'tiers' | 'tierPrefix'>,
  clock: MonotonicClock,
) {
  let known = wanted.tiers;
  let listAt = clock.monotonic();
  return async (): Promise<readonly string[]> => {
    if (clock.monotonic() >= listAt) {
      const listed = tierTopicsIn(await findTopics(kafka), wanted.tierPrefix).map(({ topic }) => topic);
      known = [...new Set([...wanted.tiers, ...listed])];
      listAt = clock.monotonic() + listEveryMs;
    }
    return findTopics(kafka, known);
  };
}
