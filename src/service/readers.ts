import { readCommitted, type GroupCommits } from '../kafka/consumer/commits/group-commits.ts';
import { GroupConsumer, type GroupConsumerOptions } from '../kafka/consumer/group-consumer.ts';
import type { FlowControl } from '../flow/flow-control.ts';
import { retryUntilSuccess } from '../kafka/client/retry-until-success.ts';
import { LagMonitor } from '../kafka/consumer/lag-monitor.ts';
import { progressOf, findStalledPartition, type PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import { SupervisedConsumer, type SupervisedConsumerOptions } from '../kafka/consumer/supervised-consumer.ts';
import { RecreatedTopics } from '../kafka/consumer/recreated-topics.ts';
import type { Component } from './liveness.ts';
import type { ServiceContext } from './service-context.ts';
import type { KafkaEvents } from '../kafka/kafka-events.ts';
import { kafkaErrorType } from '../kafka/client/faults.ts';
import { failureText } from '../telemetry/events/failure-text.ts';
import { deniedRemedy, kafkaRemedy } from '../telemetry/events/kafka-remedy.ts';

interface ReaderOptions
  extends
    Pick<ServiceContext, 'settings' | 'kafka' | 'admin' | 'events' | 'clock'>,
    Pick<SupervisedConsumerOptions, 'groupId' | 'findTopics'>,
    Pick<GroupConsumerOptions, 'minBytes' | 'intake' | 'flow' | 'configurations' | 'instance'> {
  /** Topics that `findTopics` has to find. */
  readonly requiredTopics: readonly string[];
  /** Returns true while records wait for the webhook configurations. */
  readonly awaitsConfigurations: () => boolean;
  readonly onJoined: () => void;
}

/** The reader of one group: its consumer, its flow control and its progress. */
export interface Reader extends Component, AsyncDisposable {
  readonly consumer: SupervisedConsumer;
  readonly flow: FlowControl;
  /** Says what keeps it from reading, and what to change. Empty while it reads everything. */
  missing(): readonly string[];
  progress(): readonly PartitionProgress[];
}

/**
 * Starts to read the topics of one group. Disposing the reader ends the requests for the lag only. Stop the consumer before
 * that, with a grace period.
 */
export function startReader(options: ReaderOptions): Reader {
  const { groupId, findTopics, requiredTopics, flow, onJoined, settings, admin, clock } = options;
  // A partition that has records but returns none for this time counts as stalled.
  const patienceMs = Math.max(60_000, 3 * settings.kafka.sessionTimeoutMs);
  let joinedAt = clock.monotonic();
  const obstacles = new ReaderObstacles({ groupId, requiredTopics });
  const events: ReaderOptions['events'] = {
    ...options.events,
    consumerJoined: (joined) => {
      joinedAt = clock.monotonic();
      obstacles.joined();
      options.events.consumerJoined(joined);
      onJoined();
    },
    consumerCrashed: (crash) => {
      obstacles.crashed(crash);
      options.events.consumerCrashed(crash);
    },
  };
  const consumer = new SupervisedConsumer({
    groupId,
    findTopics,
    createConsumer: consumerFactory({ ...options, events }),
    stalledPartition: () => findStalledPartition(progress(), { now: clock.monotonic(), since: joinedAt, patienceMs }),
    events,
    clock,
  });
  const assigned = (): Readonly<Record<string, readonly number[]>> => consumer.assignment?.assigned ?? {};
  const lags = new LagMonitor({ kafka: admin, groupId, assigned, events, clock });
  const progress = (): readonly PartitionProgress[] =>
    consumer.assignment === undefined ? [] : progressOf(consumer.assignment, lags, options.awaitsConfigurations());
  consumer.start();
  return {
    name: `the consumer of group ${groupId}`,
    lastActivityAt: () => consumer.lastActivityAt,
    consumer,
    flow,
    missing: () => obstacles.describe(consumer),
    progress,
    [Symbol.asyncDispose]: async () => lags[Symbol.asyncDispose](),
  };
}

/** Returns a function that creates a consumer of these topics. What is known about recreated topics outlives each of them. */
function consumerFactory(options: ReaderOptions): (topics: readonly string[]) => GroupConsumer {
  const { groupId, settings, admin, events, clock } = options;
  const doing = `asking what group ${groupId} has settled`;
  const readGroupCommits = async (topics: readonly string[], signal: AbortSignal): Promise<GroupCommits> =>
    retryUntilSuccess(() => readCommitted(admin, groupId, topics), { doing, events, clock, signal });
  const recreatedTopics = new RecreatedTopics({ events, clock });
  return (topics) =>
    new GroupConsumer({
      ...options,
      topics,
      sessionTimeoutMs: settings.kafka.sessionTimeoutMs,
      shutdownGraceMs: settings.shutdown.graceMs,
      recreatedTopics,
      readCommitted: readGroupCommits,
    });
}

/** Knows what keeps a reader from reading because Kafka refuses it, and says what to change. */
export class ReaderObstacles {
  readonly #options: Pick<ReaderOptions, 'groupId' | 'requiredTopics'>;
  /** The answer of a broker that stopped the consumer, until the next join. */
  #refusal: unknown;

  constructor(options: Pick<ReaderOptions, 'groupId' | 'requiredTopics'>) {
    this.#options = options;
  }

  joined(): void {
    this.#refusal = undefined;
  }

  /** Takes a crash. An outage is no refusal: the reader continues by itself, and nothing is to be changed. */
  crashed({ error, restarting }: Parameters<KafkaEvents['consumerCrashed']>[0]): void {
    if (!restarting && kafkaErrorType(error) !== undefined) this.#refusal = error;
  }

  /** Returns a sentence for each obstacle. Empty while everything is read. */
  describe({ assignment, topics }: Pick<SupervisedConsumer, 'assignment' | 'topics'>): readonly string[] {
    const { groupId, requiredTopics } = this.#options;
    const refusal = this.#refusal;
    const unfound = topics === undefined ? [] : requiredTopics.filter((topic) => !topics.includes(topic));
    return [
      ...(refusal === undefined ? [] : [`the group ${groupId}: ${kafkaRemedy(refusal) ?? failureText(refusal)}`]),
      ...(assignment?.denied ?? []).map((topic) => `reading ${topic}: ${deniedRemedy}`),
      ...unfound.map((topic) => `reading ${topic}: it does not exist, or Describe on it is denied`),
    ];
  }
}
