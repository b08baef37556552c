import type { Intake } from '../kafka/consumer/admission.ts';
import { readCommitted, type GroupCommits } from '../kafka/consumer/commits/group-commits.ts';
import type { KafkaEvents } from '../kafka/kafka-events.ts';
import { GroupConsumer } from '../kafka/consumer/group-consumer.ts';
import type { FlowControl } from '../backpressure/flow-control.ts';
import { retryUntilSuccess } from '../kafka/client/retry-until-success.ts';
import { LagMonitor } from '../kafka/consumer/lag-monitor.ts';
import { progressOf, findStalledPartition, type PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import { SupervisedConsumer } from '../kafka/consumer/supervised-consumer.ts';
import { RecreatedTopics } from '../kafka/consumer/recreated-topics.ts';
import type { ServiceContext } from './service-context.ts';

interface ReaderOptions extends Pick<ServiceContext, 'settings' | 'kafka' | 'admin' | 'events' | 'clock'> {
  readonly groupId: string;
  /** Returns the topics to read that exist. Rejects if Kafka does not answer. */
  readonly findTopics: () => Promise<readonly string[]>;
  /** Bytes that a broker collects before it answers a fetch. */
  readonly minBytes: number;
  readonly intake: Intake;
  readonly flow: FlowControl;
  /** Name of this process in its groups. */
  readonly instance: string;
  /** Called after each join of the group. */
  readonly onJoined: () => void;
}

/** The reader of one group: its consumer, its flow control and its progress. */
export interface Reader extends AsyncDisposable {
  /** The name for people. */
  readonly name: string;
  /** Returns the monotonic time of its last activity. */
  lastActivityAt(): number;
  readonly consumer: SupervisedConsumer;
  readonly flow: FlowControl;
  /** Returns the progress of the assigned partitions. */
  progress(): readonly PartitionProgress[];
}

/**
 * Starts to read the topics of one group. Disposing the reader ends the requests for the lag only. Stop the consumer before
 * that, with a grace period.
 */
export function startReader(options: ReaderOptions): Reader {
  const { groupId, findTopics, minBytes, intake, flow, instance, onJoined, settings, kafka, admin, clock } = options;
  const { sessionTimeoutMs } = settings.kafka;
  // A partition that has records but returns none for this time counts as stalled.
  const patienceMs = Math.max(60_000, 3 * sessionTimeoutMs);
  let joinedAt = clock.monotonic();
  const events: KafkaEvents = {
    ...options.events,
    consumerJoined: (joined) => {
      joinedAt = clock.monotonic();
      options.events.consumerJoined(joined);
      onJoined();
    },
  };
  const readGroupCommits = async (topics: readonly string[], signal: AbortSignal): Promise<GroupCommits> =>
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
      new GroupConsumer({
        kafka,
        groupId,
        topics,
        minBytes,
        sessionTimeoutMs,
        shutdownGraceMs: settings.shutdown.graceMs,
        instance,
        intake,
        flow,
        recreatedTopics,
        readCommitted: readGroupCommits,
        events,
        clock,
      }),
    stalledPartition: () => findStalledPartition(progress(), { now: clock.monotonic(), since: joinedAt, patienceMs }),
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
    flow,
    progress,
    [Symbol.asyncDispose]: async () => lags[Symbol.asyncDispose](),
  };
}
