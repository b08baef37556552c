import type { FlowLimits } from '../../../src/flow/limits.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { RetryPublisher } from '../../../src/pipeline/ports.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { replaceMembers } from '../environment/replace-members.ts';
import { configurationMutants } from './configuration-mutants.ts';
import {
  everyNth,
  noMutation,
  type Mutant,
  withAlteredCommits,
  withFilteredResume,
  oneMore,
  withLimits,
} from './mutation.ts';
import { resultMutants } from './result-mutants.ts';

export const mutants: readonly Mutant[] = [
  {
    name: 'a commit runs ahead of what is settled',
    violates: 'I1',
    createMutation: () => ({ ...noMutation, kafka: (kafka) => withAlteredCommits(kafka, (offset) => offset + 1) }),
  },
  {
    name: 'a commit goes back',
    violates: 'I1',
    createMutation: () => {
      const isThird = everyNth(3);
      return {
        ...noMutation,
        kafka: (kafka) => withAlteredCommits(kafka, (offset) => (isThird() ? Math.max(0, offset - 2) : offset)),
      };
    },
  },
  {
    name: 'a record is settled before its deliveries are',
    violates: 'I1',
    createMutation: () => ({ ...noMutation, intake: (intake) => ({ ...intake, handle: settleAtOnce(intake) }) }),
  },
  {
    name: 'a retry is reported as written but is not',
    violates: 'I2',
    createMutation: () => {
      const isThird = everyNth(3);
      return {
        ...noMutation,
        retryPublisher: (retryPublisher) => ({
          ...withBoundMethods(retryPublisher),
          publishRetry: async (...args) => (isThird() ? 'written' : retryPublisher.publishRetry(...args)),
        }),
      };
    },
  },
  {
    name: 'a retry is written twice',
    violates: 'no_duplicates',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...withBoundMethods(retryPublisher),
        publishRetry: async (...args) => {
          await retryPublisher.publishRetry(...args);
          return retryPublisher.publishRetry(...args);
        },
      }),
    }),
  },
  ...resultMutants,
  {
    name: 'a record that is not a certificate is dropped',
    violates: 'I2',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...withBoundMethods(retryPublisher),
        publishRecordDeadLetter: async (_record, { reason }) => reason,
      }),
    }),
  },
  {
    name: 'a record is counted twice',
    violates: 'I3',
    createMutation: () => {
      const isFifth = everyNth(5);
      const countTwice =
        (intake: Intake): Intake['recordSettled'] =>
        (record, result) => {
          intake.recordSettled(record, result);
          if (isFifth()) intake.recordSettled(record, result);
        };
      return { ...noMutation, intake: (intake) => ({ ...intake, recordSettled: countTwice(intake) }) };
    },
  },
  {
    name: 'a record is abandoned without a reason',
    violates: 'I3',
    createMutation: () => {
      const isFifth = everyNth(5);
      return {
        ...noMutation,
        intake: (intake) => ({
          ...intake,
          handle: (record, context) => (isFifth() ? context.end('abandoned') : intake.handle(record, context)),
        }),
      };
    },
  },
  {
    name: 'every retry goes to the first tier',
    violates: 'I4',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...withBoundMethods(retryPublisher),
        publishRetry: (delivery, { dueAt }, assignment) =>
          retryPublisher.publishRetry(delivery, { tier: 0, dueAt }, assignment),
      }),
    }),
  },
  {
    name: 'reading does not stop at the limit',
    violates: 'I4',
    createMutation: () => ({ ...noMutation, flowLimits: withoutIntakeLimits }),
  },
  {
    name: 'a webhook may have one more attempt a minute than its limit',
    violates: 'webhook_limits',
    createMutation: () => withLimits(({ perMinute, ...limits }) => ({ ...limits, perMinute: oneMore(perMinute) })),
  },
  {
    name: 'a webhook may have one more request at once than its limit',
    violates: 'webhook_limits',
    createMutation: () => withLimits(({ inFlight, ...limits }) => ({ ...limits, inFlight: oneMore(inFlight) })),
  },
  {
    name: 'a record is planned before the directory has caught up',
    violates: 'I9',
    createMutation: () => ({
      ...noMutation,
      directory: (directory) => ({ ...directory, caughtUp: async () => undefined }),
    }),
  },
  {
    name: 'the current owner of a webhook is not checked',
    violates: 'I9',
    createMutation: () => ({
      ...noMutation,
      directory: (directory) => ({ ...directory, byId: (id) => ownerless(directory.byId(id)) }),
    }),
  },
  ...configurationMutants,
  {
    name: 'a partition that was paused is never read again',
    violates: 'I10',
    createMutation: () => ({
      ...noMutation,
      kafka: (kafka) => withFilteredResume(kafka, (partitions) => partitions.length > 1),
    }),
  },
  {
    name: 'durations are measured by the wall clock',
    violates: 'I10',
    createMutation: () => ({ ...noMutation, clock: withWallTimeAlone }),
  },
  {
    name: 'a delivery never ends',
    violates: 'I10',
    createMutation: () => {
      const isTwentieth = everyNth(20);
      return {
        ...noMutation,
        intake: (intake) => ({
          ...intake,
          handle: (record, context) => (isTwentieth() ? undefined : intake.handle(record, context)),
        }),
      };
    },
  },
];

function withWallTimeAlone(clock: Clock): Clock {
  return { now: () => clock.now(), monotonic: () => clock.now(), after: (ms, run) => clock.after(ms, run) };
}

function withoutIntakeLimits(limits: FlowLimits): FlowLimits {
  const unlimited = Number.POSITIVE_INFINITY;
  return { ...limits, maxRecords: unlimited, maxDeliveries: unlimited, maxSpan: unlimited, window: unlimited };
}

function settleAtOnce(intake: Intake): Intake['handle'] {
  return (record, context) => {
    intake.handle(record, replaceMembers(context, { end: () => undefined, fail: () => undefined }));
    context.end('delivered');
  };
}

/** A spread copies own properties only and would lose the methods of a class. */
function withBoundMethods(retryPublisher: RetryPublisher): RetryPublisher {
  return {
    publishRetry: (...args) => retryPublisher.publishRetry(...args),
    publishDeadLetter: (delivery, why) => retryPublisher.publishDeadLetter(delivery, why),
    publishRecordDeadLetter: (record, why) => retryPublisher.publishRecordDeadLetter(record, why),
  };
}

function ownerless(webhook: Webhook | undefined): Webhook | undefined {
  if (webhook === undefined) return undefined;
  const { id, state } = webhook;
  return {
    id,
    state,
    ownerId: undefined,
    wants: (eventType) => webhook.wants(eventType),
    endpoint: () => webhook.endpoint(),
  };
}
