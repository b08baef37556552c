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
import type { Directory } from '../../../src/webhooks/webhook.ts';
import type { Invariant } from '../checkers/violation.ts';

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
