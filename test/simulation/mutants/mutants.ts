import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { Handoff } from '../../../src/pipeline/ports.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import type { Invariant } from '../checkers/violation.ts';
import { honest, type Sabotage } from './mutation.ts';
import { withCommits, withResume } from './kafka-mutations.ts';

/** A bug that a service of ours might have, and the promise that it breaks. */
export interface PlantedBug {
  readonly name: string;
  readonly breaks: Invariant;
  /** Made anew for each run: some go wrong only now and then. */
  readonly plant: () => Sabotage;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a commit runs ahead of what is settled',
    breaks: 'I1',
    plant: () => ({ ...honest, kafka: (kafka) => withCommits(kafka, (offset) => offset + 1) }),
  },
  {
    name: 'a commit goes back',
    breaks: 'I1',
    plant: () => {
      const isThird = everyNth(3);
      return {
        ...honest,
        kafka: (kafka) => withCommits(kafka, (offset) => (isThird() ? Math.max(0, offset - 2) : offset)),
      };
    },
  },
  {
    name: 'a record is settled before its deliveries are',
    breaks: 'I1',
    plant: () => ({ ...honest, intake: (intake) => ({ ...intake, handle: settleAtOnce(intake) }) }),
  },
  {
    name: 'a retry is said to be written and is not',
    breaks: 'I2',
    plant: () => {
      const isThird = everyNth(3);
      return {
        ...honest,
        handoff: (handoff) => ({
          ...bound(handoff),
          schedule: async (...scheduled) => (isThird() ? 'written' : handoff.schedule(...scheduled)),
        }),
      };
    },
  },
  {
    name: 'a retry is written twice',
    breaks: 'once',
    plant: () => ({
      ...honest,
      handoff: (handoff) => ({
        ...bound(handoff),
        schedule: async (...scheduled) => {
          await handoff.schedule(...scheduled);
          return handoff.schedule(...scheduled);
        },
      }),
    }),
  },
  {
    name: 'a record that is no certificate is dropped',
    breaks: 'I2',
    plant: () => ({
      ...honest,
      handoff: (handoff) => ({ ...bound(handoff), buryRecord: async (_record, { reason }) => reason }),
    }),
  },
  {
    name: 'a record is counted twice',
    breaks: 'I3',
    plant: () => {
      const isFifth = everyNth(5);
      const countTwice =
        (intake: Intake): Intake['recordSettled'] =>
        (record, result) => {
          intake.recordSettled(record, result);
          if (isFifth()) intake.recordSettled(record, result);
        };
      return { ...honest, intake: (intake) => ({ ...intake, recordSettled: countTwice(intake) }) };
    },
  },
  {
    name: 'a record is let go without an end',
    breaks: 'I3',
    plant: () => {
      const isFifth = everyNth(5);
      return {
        ...honest,
        intake: (intake) => ({
          ...intake,
          handle: async (record, assignment) => (isFifth() ? 'abandoned' : intake.handle(record, assignment)),
        }),
      };
    },
  },
  {
    name: 'whatever waits goes back to the first tier',
    breaks: 'I4',
    plant: () => ({
      ...honest,
      handoff: (handoff) => ({
        ...bound(handoff),
        schedule: (delivery, { dueAt }, assignment) => handoff.schedule(delivery, { tier: 0, dueAt }, assignment),
      }),
    }),
  },
  {
    name: 'reading does not stop at the limit',
    breaks: 'I4',
    plant: () => ({ ...honest, limits: (limits) => Object.assign(limits, { isFull: () => false }) }),
  },
  {
    name: 'a record is planned before the directory has caught up',
    breaks: 'I9',
    plant: () => ({ ...honest, directory: (directory) => ({ ...directory, caughtUp: async () => undefined }) }),
  },
  {
    name: 'nobody looks whose a webhook is by now',
    breaks: 'I9',
    plant: () => ({
      ...honest,
      directory: (directory) => ({ ...directory, byId: (id) => ownerless(directory.byId(id)) }),
    }),
  },
  {
    name: 'a partition that was paused is never read again',
    breaks: 'I10',
    plant: () => ({ ...honest, kafka: (kafka) => withResume(kafka, (partitions) => partitions.length > 1) }),
  },
  {
    name: 'a delivery waits for ever',
    breaks: 'I10',
    plant: () => {
      const isTwentieth = everyNth(20);
      return {
        ...honest,
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
function bound(handoff: Handoff): Handoff {
  return {
    schedule: (...scheduled) => handoff.schedule(...scheduled),
    buryDelivery: (delivery, why) => handoff.buryDelivery(delivery, why),
    buryRecord: (record, why) => handoff.buryRecord(record, why),
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
