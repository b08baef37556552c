import type { GatesPolicy } from '../../../src/flow/limits.ts';
import type { DeliveryState, Occupation, Occupied } from '../../../src/flow/occupation.ts';
import type { DeliveryCursor } from '../../../src/flow/window.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import { replaceMembers } from '../environment/replace-members.ts';
import { noMutation, type Mutation } from '../mutants/mutation.ts';
import { spreadBurstScenario } from './scenarios/burst.ts';
import { fanOutScenario, pausedFanOutScenario } from './scenarios/fan-out.ts';
import { hangingHalfScenario } from './scenarios/hanging-half.ts';
import type { IsolationScenario } from './situation.ts';
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
    mutation: withOccupation(['waiting_suspect', 'sent_suspect', 'late', 'writing'], { window: 'all' }),
  },
  {
    name: 'a partition starts more while a delivery waits outside a full waiting room',
    shownBy: spreadBurstScenario,
    mutation: withOccupation(['outside'], { turn: false }),
  },
  {
    name: 'the deliveries that wait for a tier have no limit',
    shownBy: pausedFanOutScenario,
    mutation: { ...noMutation, flowLimits: (limits) => ({ ...limits, maxDeliveries: Number.POSITIVE_INFINITY }) },
  },
  {
    name: 'the owners of a partition share one queue',
    shownBy: fanOutScenario,
    mutation: withCursor({ ownerId: 'all owners' }),
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
    mutation: withOccupation(['waiting_paced', 'moving_on'], { window: 'retries' }),
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

/** Lets deliveries in these states occupy something else. */
function withOccupation(states: readonly DeliveryState[], changed: Partial<Occupied>): Mutation {
  const change = (occupation: Occupation): Occupation => ({
    ...occupation,
    ...Object.fromEntries(states.map((state) => [state, { ...occupation[state], ...changed }])),
  });
  return { ...noMutation, flowLimits: (limits) => ({ ...limits, occupation: change(limits.occupation) }) };
}

/** Replaces members of each record's cursor. */
function withCursor(cursor: Partial<DeliveryCursor>): Mutation {
  const handle =
    (intake: Intake): Intake['handle'] =>
    (record, context) =>
      intake.handle(
        record,
        replaceMembers(context, { start: (deliveries) => context.start(replaceMembers(deliveries, cursor)) }),
      );
  return { ...noMutation, intake: (intake) => ({ ...intake, handle: handle(intake) }) };
}
