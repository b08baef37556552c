import type { GatesPolicy } from '../../../src/flow/limits.ts';
import type { DeliveryCursor, StartedDelivery } from '../../../src/flow/delivery-cursor.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import { replaceMembers } from '../environment/replace-members.ts';
import { noMutation, type Mutation } from '../mutants/mutation.ts';
import { spreadBurstScenario } from './scenarios/burst.ts';
import { fanOutScenario, pausedFanOutScenario } from './scenarios/fan-out.ts';
import { hangingHalfScenario } from './scenarios/hanging-half.ts';
import type { IsolationScenario } from './scenarios/scenario.ts';
import { limitedInOnePartitionScenario } from './scenarios/shared-tiers.ts';
import { twoHundredHangScenario } from './scenarios/sudden-hang.ts';

/** A bug that flow control could have, and the scenario that shows it. */
interface IsolationMutant {
  readonly name: string;
  readonly shownBy: IsolationScenario;
  readonly mutation: Mutation;
}

export const isolationMutants: readonly IsolationMutant[] = [
  {
    name: 'a turn of the event loop starts as much as there is',
    shownBy: fanOutScenario,
    mutation: { ...noMutation, startsPerTurn: () => Number.POSITIVE_INFINITY },
  },
  {
    name: 'a partition has no window',
    shownBy: fanOutScenario,
    mutation: { ...noMutation, flowLimits: (limits) => ({ ...limits, window: Number.POSITIVE_INFINITY }) },
  },
  {
    name: 'a delivery stays in the window while it waits for a suspect endpoint',
    shownBy: hangingHalfScenario,
    mutation: withReplaced({ started: { markWaiting: () => undefined } }),
  },
  {
    name: 'a partition starts more while a delivery waits outside a full waiting room',
    shownBy: spreadBurstScenario,
    mutation: withReplaced({ started: { markOutsideRoom: () => undefined } }),
  },
  {
    name: 'the deliveries that wait for a tier have no limit',
    shownBy: pausedFanOutScenario,
    mutation: { ...noMutation, flowLimits: (limits) => ({ ...limits, maxDeliveries: Number.POSITIVE_INFINITY }) },
  },
  {
    name: 'the owners of a partition share one queue',
    shownBy: fanOutScenario,
    mutation: withReplaced({ cursor: { ownerId: 'all owners' } }),
  },
  {
    name: 'no delivery is ever late',
    shownBy: hangingHalfScenario,
    mutation: withPolicy((policy) => ({ ...policy, lateAfterMs: policy.maxAgeMs })),
  },
  {
    name: 'suspect endpoints may have all requests in flight',
    shownBy: twoHundredHangScenario,
    mutation: withCapacity(({ inFlight, ...capacity }) => ({ ...capacity, inFlight, suspectInFlight: inFlight })),
  },
  {
    name: 'suspect endpoints may have all waiting places',
    shownBy: twoHundredHangScenario,
    mutation: withCapacity((capacity) => ({ ...capacity, suspectWaiting: Number.POSITIVE_INFINITY })),
  },
  {
    name: 'one endpoint may have all requests in flight',
    shownBy: hangingHalfScenario,
    mutation: withPolicy((policy) => ({ ...policy, maxInFlight: policy.capacity.first.inFlight })),
  },
  {
    name: 'a waiting room has no limit',
    shownBy: spreadBurstScenario,
    mutation: withPolicy((policy) => ({ ...policy, maxWaiting: Number.POSITIVE_INFINITY })),
  },
  {
    name: 'a partition of a tier never reads ahead',
    shownBy: limitedInOnePartitionScenario,
    mutation: { ...noMutation, flowLimits: (limits) => ({ ...limits, shortHoldMs: -1 }) },
  },
  {
    name: 'a retry stays in the window while it waits for the pace of its webhook',
    shownBy: limitedInOnePartitionScenario,
    mutation: withReplaced({ started: { markIdle: () => undefined } }),
  },
  {
    name: 'retries have no window',
    shownBy: twoHundredHangScenario,
    mutation: {
      ...noMutation,
      flowLimits: (limits) => (limits.sharedEqually ? { ...limits, window: Number.POSITIVE_INFINITY } : limits),
    },
  },
];

function withPolicy(gatesPolicy: Mutation['gatesPolicy']): Mutation {
  return { ...noMutation, gatesPolicy };
}

type Capacity = GatesPolicy['capacity']['first'];

function withCapacity(change: (capacity: Capacity) => Capacity): Mutation {
  return withPolicy(({ capacity: { first, retry }, ...policy }) => ({
    ...policy,
    capacity: { first: change(first), retry: change(retry) },
  }));
}

interface Replaced {
  /** Members of the record's cursor. */
  readonly cursor?: Partial<DeliveryCursor>;
  /** Members of each started delivery, which the gates and the pipeline report to. */
  readonly started?: Partial<StartedDelivery>;
}

function withReplaced({ cursor = {}, started = {} }: Replaced): Mutation {
  const replaceIn = (original: DeliveryCursor): DeliveryCursor =>
    replaceMembers(original, { ...cursor, startNext: (one) => original.startNext(replaceMembers(one, started)) });
  const handle =
    (intake: Intake): Intake['handle'] =>
    (record, context) =>
      intake.handle(record, replaceMembers(context, { start: (deliveries) => context.start(replaceIn(deliveries)) }));
  return { ...noMutation, intake: (intake) => ({ ...intake, handle: handle(intake) }) };
}
