import type { Intake } from '../kafka/consumer/admission.ts';
import { readCommitted, type GroupCommits } from '../kafka/consumer/group-commits.ts';
import type { KafkaEvents } from '../kafka/kafka-events.ts';
import { GroupConsumer } from '../kafka/consumer/group-consumer.ts';
import type { IntakeLimits } from '../backpressure/intake-limits.ts';
import { retryUntilSuccess } from '../kafka/client/retry-until-success.ts';
import { LagMonitor } from '../kafka/consumer/lag-monitor.ts';
import { progressOf, findStalledPartition, type PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import { SupervisedConsumer } from '../kafka/consumer/supervised-consumer.ts';
import { RecreatedTopics } from '../kafka/consumer/recreated-topics.ts';
import type { ServiceContext } from './service-context.ts';

interface ReaderOptions extends ServiceContext {
  readonly groupId: string;
  /** The topics to read that exist at present. */
  readonly findTopics: () => Promise<readonly string[]>;
  /** That a fetch waits for, for a moment at most. */
  readonly minBytes: number;
  readonly intake: Intake;
  readonly limits: IntakeLimits;
  /** This process's name in its groups. */
  readonly instance: string;
  readonly onJoined: () => void;
}

/** One group: its consumer, its limits, and how far it is. */
export interface Reader extends AsyncDisposable {
  /** For people. */
  readonly name: string;
  /** Epoch milliseconds of the last thing it did. */
  lastActivityAt(): number;
  readonly consumer: SupervisedConsumer;
  readonly limits: IntakeLimits;
  /** Of the partitions assigned at present. */
  progress(): readonly PartitionProgress[];
}

/** Starts to read. Disposing it stops asking for the lag; the consumer is stopped by itself, with the time it may take. */
export function startReader(options: ReaderOptions): Reader {
  const { groupId, findTopics, limits, settings, admin, clock, onJoined } = options;
  const { sessionTimeoutMs } = settings.kafka;
  const patienceMs = Math.max(60_000, 3 * sessionTimeoutMs);
  let joinedAt = clock.now();
  const events: KafkaEvents = {
    ...options.events,
    consumerJoined: (joined) => {
      joinedAt = clock.now();
      options.events.consumerJoined(joined);
      onJoined();
    },
  };
  const ask = async (topics: readonly string[], signal: AbortSignal): Promise<GroupCommits> =>
    retryUntilSuccess(() => readCommitted(admin, groupId, topics), {
      doing: `asking what group ${groupId} has settled`,
      events,
      clock,
      signal,
    });
  const recreatedTopics = new RecreatedTopics({ events, clock });
  const consumer = new SupervisedConsumer({
    groupId,
    findTopics,
    createConsumer: (topics) =>
      new GroupConsumer({ ...options, events, topics, recreatedTopics, readCommitted: ask, sessionTimeoutMs }),
    stalledPartition: () => findStalledPartition(progress(), { now: clock.now(), since: joinedAt, patienceMs }),
    events,
    clock,
  });
  const assigned = (): Readonly<Record<string, readonly number[]>> => consumer.assignment?.assigned ?? {};
  const lags = new LagMonitor({ kafka: admin, groupId, assigned, events, clock });
  const progress = (): readonly PartitionProgress[] =>
    consumer.assignment === undefined ? [] : progressOf(consumer.assignment, lags);
  consumer.start();
  return {
    name: `the consumer of group ${groupId}`,
    lastActivityAt: () => consumer.lastActivityAt,
    consumer,
    limits,
    progress,
    [Symbol.asyncDispose]: async () => lags[Symbol.asyncDispose](),
  };
}
