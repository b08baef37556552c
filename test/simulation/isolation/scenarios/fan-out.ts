import {
  partitionOf,
  promptly,
  type Situation,
  type Subscription,
  type Bound,
  type IsolationScenario,
} from '../situation.ts';
import { allDelivered, figureAtMost, longestQueueingBelow, queueingAtMost } from './bounds.ts';

const loadMs = 12_000;

function manyWebhooks(paused: boolean): readonly Subscription[] {
  return Array.from({ length: 1000 }, (_, number) => ({
    webhookId: `hook-${number}`,
    ownerId: 'owner-of-many',
    paused,
    groups: ['the owner of many'],
  }));
}

/** Returns an owner with one webhook, in the partition of the owner of many or in another one. */
function anotherOwner(group: string, inSamePartition: boolean): Subscription {
  const partition = partitionOf('owner-of-many');
  for (let number = 0; ; number += 1) {
    const ownerId = `another-${number}`;
    if ((partitionOf(ownerId) === partition) === inSamePartition)
      return { webhookId: `hook-of-${ownerId}`, ownerId, groups: [group] };
  }
}

const elsewhere = anotherOwner('another owner in another partition', false);
const behind = anotherOwner('another owner in its partition', true);

const without: Situation = {
  subscriptions: [...manyWebhooks(false), elsewhere, behind],
  writes: [elsewhere, behind].map(({ ownerId }) => ({
    kind: 'steady',
    ownerIds: [ownerId],
    perSecond: 2,
    fromMs: 1000,
    toMs: loadMs,
  })),
  responseOf: promptly,
  durationMs: loadMs + 1000,
};

/** Densely at the start, when the certificates are read and planned. */
const heapAtMs = [...Array.from({ length: 10 }, (_, index) => 1000 + index * 100), 3000, 6000, 12_000];

const bounds: readonly Bound[] = [
  longestQueueingBelow('another owner in another partition', 1000),
  longestQueueingBelow('another owner in its partition', 1000),
  // A few turns of the event loop with 32 starts each.
  queueingAtMost('another owner in another partition', { plusMs: 25 }),
  allDelivered('another owner in another partition'),
  allDelivered('another owner in its partition'),
  figureAtMost(
    'starts at most 64 deliveries in one turn of the event loop',
    ({ maxStartedInTurn }) => maxStartedInTurn,
    64,
  ),
  figureAtMost('defers at most 64 deliveries in one turn', ({ maxDeferredInTurn }) => maxDeferredInTurn, 64),
];

export const fanOutScenario: IsolationScenario = {
  name: 'one owner with 1,000 webhooks gets 400 certificates at once',
  without,
  trouble: {
    ...without,
    writes: [...without.writes, { kind: 'burst', ownerId: 'owner-of-many', count: 400, atMs: 900 }],
    heapAtMs,
  },
  bounds: [
    ...bounds,
    figureAtMost('takes less than 250 MB of heap', ({ heapGrowthBytes }) => heapGrowthBytes, 250 * 1024 * 1024),
  ],
};

/** Its deliveries all wait in this process until they are in a tier. The heap holds the tiers as well, so it says nothing. */
export const pausedFanOutScenario: IsolationScenario = {
  name: 'its 1,000 webhooks are paused',
  without,
  trouble: {
    ...fanOutScenario.trouble,
    subscriptions: [...manyWebhooks(true), elsewhere, behind],
    heapAtMs: [],
  },
  bounds: [
    ...bounds,
    // A lone partition may hold a half of the 7,500 for first attempts. Retries have 2,500 of their own.
    figureAtMost('holds at most 6,250 deliveries that wait for a tier', ({ maxUnsettled }) => maxUnsettled, 6250),
  ],
};
