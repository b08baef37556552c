import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { RetryPublisher } from '../../../src/pipeline/ports.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import type { Invariant } from '../checkers/violation.ts';
import { noMutation, type Mutation } from './mutation.ts';
import { withAlteredCommits, withFilteredResume } from './kafka-mutations.ts';

/** A bug that a service of ours might have, and the promise that it violates. */
export interface Mutant {
  readonly name: string;
  readonly violates: Invariant;
  /** Made anew for each run: some go wrong only now and then. */
  readonly createMutation: () => Mutation;
}

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
    name: 'a retry is said to be written and is not',
    violates: 'I2',
    createMutation: () => {
      const isThird = everyNth(3);
      return {
        ...noMutation,
        retryPublisher: (retryPublisher) => ({
          ...bound(retryPublisher),
          publishRetry: async (...scheduled) => (isThird() ? 'written' : retryPublisher.publishRetry(...scheduled)),
        }),
      };
    },
  },
  {
    name: 'a retry is written twice',
    violates: 'once',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...bound(retryPublisher),
        publishRetry: async (...scheduled) => {
          await retryPublisher.publishRetry(...scheduled);
          return retryPublisher.publishRetry(...scheduled);
        },
      }),
    }),
  },
  {
    name: 'a record that is no certificate is dropped',
    violates: 'I2',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...bound(retryPublisher),
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
    name: 'a record is let go without an end',
    violates: 'I3',
    createMutation: () => {
      const isFifth = everyNth(5);
      return {
        ...noMutation,
        intake: (intake) => ({
          ...intake,
          handle: async (record, assignment) => (isFifth() ? 'abandoned' : intake.handle(record, assignment)),
        }),
      };
    },
  },
  {
    name: 'whatever waits goes back to the first tier',
    violates: 'I4',
    createMutation: () => ({
      ...noMutation,
      retryPublisher: (retryPublisher) => ({
        ...bound(retryPublisher),
        publishRetry: (delivery, { dueAt }, assignment) =>
          retryPublisher.publishRetry(delivery, { tier: 0, dueAt }, assignment),
      }),
    }),
  },
  {
    name: 'reading does not stop at the limit',
    violates: 'I4',
    createMutation: () => ({ ...noMutation, limits: (limits) => Object.assign(limits, { isFull: () => false }) }),
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
    name: 'nobody looks whose a webhook is by now',
    violates: 'I9',
    createMutation: () => ({
      ...noMutation,
      directory: (directory) => ({ ...directory, byId: (id) => ownerless(directory.byId(id)) }),
    }),
  },
  {
    name: 'a partition that was paused is never read again',
    violates: 'I10',
    createMutation: () => ({
      ...noMutation,
      kafka: (kafka) => withFilteredResume(kafka, (partitions) => partitions.length > 1),
    }),
  },
  {
    name: 'a delivery waits for ever',
    violates: 'I10',
    createMutation: () => {
      const isTwentieth = everyNth(20);
      return {
        ...noMutation,
        intake: (intake) => ({
          ...intake,
          handle: async (record, assignment) =>
            isTwentieth() ? new Promise<never>(() => undefined) : intake.handle(record, assignment),
        }),
      };
    },
  },
];

function everyNth(nth: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % nth === 0;
  };
}

function settleAtOnce(intake: Intake): Intake['handle'] {
  return async (record, assignment) => {
    void intake.handle(record, assignment).catch(() => undefined);
    return 'delivered';
  };
}

/** A class's methods are not its own, so that a copy of it would lack them. */
function bound(retryPublisher: RetryPublisher): RetryPublisher {
  return {
    publishRetry: (...scheduled) => retryPublisher.publishRetry(...scheduled),
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
