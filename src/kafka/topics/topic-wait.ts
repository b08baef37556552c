import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { retryUntilSuccess } from '../client/retry-until-success.ts';
import { connectAdmin, type AdminFactory } from './topic-admin.ts';

interface TopicWaitOptions {
  readonly kafka: AdminFactory;
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
    const found = await retryUntilSuccess(() => listTopics(kafka), { doing, events, clock, signal });
    const missing = topics.filter((topic) => !found.includes(topic));
    events.topicsMissing(missing);
    if (missing.length === 0) return;
    await sleep(clock, backoff.next(), signal);
  }
}

/** Returns the names of all topics that this client may see. */
export async function listTopics(kafka: AdminFactory): Promise<readonly string[]> {
  await using admin = await connectAdmin(kafka);
  return await admin.listTopics();
}
