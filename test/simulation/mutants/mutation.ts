import type { Kafka } from '../../../src/kafka/client/kafka.ts';
import type { TopicLog } from '../../../src/kafka/client/topic-log.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { FlowLimits, GatesPolicy } from '../../../src/flow/limits.ts';
import type { IsReplaced } from '../../../src/kafka/reader/replacement-check.ts';
import type { ResultPublisherOptions } from '../../../src/kafka/producer/result-publisher.ts';
import type { Table } from '../../../src/kafka/reader/topic-table.ts';
import type { ResultPublisher } from '../../../src/pipeline/delivery-reporter.ts';
import type { RetryPublisher } from '../../../src/pipeline/ports.ts';
import type { RecordResultPublisher } from '../../../src/pipeline/undelivered-records.ts';
import type { Directory, Webhook, WebhookLimits } from '../../../src/webhooks/webhook.ts';
import type { Invariant } from '../checkers/violation.ts';
import type { Consumer, OffsetCommit } from '../../../src/kafka/client/consumer.ts';
import { replaceMembers } from '../environment/replace-members.ts';

/** A bug injected into one process. Each function wraps one of its parts. */
export interface Mutation {
  readonly clock: (clock: Clock) => Clock;
  readonly kafka: (kafka: Kafka) => Kafka;
  readonly directory: (directory: Directory) => Directory;
  readonly configurations: (log: TopicLog) => TopicLog;
  readonly table: (table: Table) => Table;
  readonly isReplaced: (isReplaced: IsReplaced) => IsReplaced;
  readonly retryPublisher: (retryPublisher: RetryPublisher) => RetryPublisher;
  readonly results: (results: ResultPublisher) => ResultPublisher;
  readonly recordResults: (results: RecordResultPublisher) => RecordResultPublisher;
  readonly owe: (owe: ResultPublisherOptions['owe']) => ResultPublisherOptions['owe'];
  readonly intake: (intake: Intake, pool: Pool) => Intake;
  readonly flowLimits: (limits: FlowLimits) => FlowLimits;
  readonly startsPerTurn: (starts: number) => number;
  readonly gatesPolicy: (policy: GatesPolicy) => GatesPolicy;
}

/** Changes nothing. */
export const noMutation: Mutation = {
  clock: (clock) => clock,
  kafka: (kafka) => kafka,
  directory: (directory) => directory,
  configurations: (log) => log,
  table: (table) => table,
  isReplaced: (isReplaced) => isReplaced,
  retryPublisher: (retryPublisher) => retryPublisher,
  results: (results) => results,
  recordResults: (results) => results,
  owe: (owe) => owe,
  intake: (intake) => intake,
  flowLimits: (limits) => limits,
  startsPerTurn: (starts) => starts,
  gatesPolicy: (policy) => policy,
};

/** A bug that the service could have, and the invariant that it violates. */
export interface Mutant {
  readonly name: string;
  readonly violates: Invariant;
  /** Creates a mutation for one run. Some count calls, so they cannot be shared between runs. */
  readonly createMutation: () => Mutation;
}

/** Commits altered offsets instead of those of the ledger. */
export function withAlteredCommits(kafka: Kafka, alter: (offset: number) => number): Kafka {
  const altered = ({ topics }: OffsetCommit): OffsetCommit => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map((one) => ({ ...one, offset: String(alter(Number(one.offset))) })),
    })),
  });
  return withConsumer(kafka, (consumer) => ({ commit: (offsets) => consumer.commit(altered(offsets)) }));
}

/** Drops the calls to `resume` that `isForwarded` rejects. */
export function withFilteredResume(kafka: Kafka, isForwarded: (partitions: readonly number[]) => boolean): Kafka {
  return withConsumer(kafka, (consumer) => ({
    resume: (topics) => {
      if (isForwarded(topics.flatMap(({ partitions = [] }) => partitions))) consumer.resume(topics);
    },
  }));
}

function withConsumer(kafka: Kafka, replaced: (consumer: Consumer) => Partial<Consumer>): Kafka {
  return {
    ...kafka,
    consumer: (options) => {
      const consumer = kafka.consumer(options);
      return replaceMembers(consumer, replaced(consumer));
    },
  };
}

/** Changes the limits of all webhooks. A version of a webhook stays one object, because the gates compare it. */
export function withLimits(change: (limits: WebhookLimits) => WebhookLimits): Mutation {
  const changed = new WeakMap<Webhook, Webhook>();
  const changedOf = (webhook: Webhook): Webhook => {
    const known = changed.get(webhook) ?? replaceMembers(webhook, { limits: webhook.limits && change(webhook.limits) });
    changed.set(webhook, known);
    return known;
  };
  return {
    ...noMutation,
    directory: (directory) => ({
      ...directory,
      ofOwner: (ownerId) => directory.ofOwner(ownerId).map(changedOf),
      byId: (id) => {
        const webhook = directory.byId(id);
        return webhook && changedOf(webhook);
      },
    }),
  };
}

export function oneMore(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : limit + 1;
}

/** Returns a function that returns true in each nth call. */
export function everyNth(nth: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % nth === 0;
  };
}
