import { groupIn, type Figures } from '../figures.ts';
import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { figureAtMost, longestQueueingBelow, queueingAtMost, undisturbed, writesAtMost } from './bounds.ts';
import { isInPartitionOf, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const certificates = 5000;
const atMs = 2000;
/** With 16 requests in flight and a response after 1 s. */
const shortestMs = (certificates / 16) * 1000;
const loadMs = 320_000;

const slow = { webhookId: 'hook-slow', ownerId: 'owner-slow', groups: ['the slow endpoint'] } as const;
const sharesPartition = isInPartitionOf(slow.ownerId);

const all = ownersWithOneWebhook(200, (_, ownerId) => [
  sharesPartition(ownerId) ? 'others in its partition' : 'others',
]);
const neighbours = all.filter(({ ownerId }) => sharesPartition(ownerId));
const others = all.filter(({ ownerId }) => !sharesPartition(ownerId));

const without: Situation = {
  subscriptions: [slow, ...all],
  writes: [
    { kind: 'steady', ownerIds: ownerIdsOf(neighbours), perSecond: 20, fromMs: 0, toMs: loadMs },
    { kind: 'steady', ownerIds: ownerIdsOf(others), perSecond: 40, fromMs: 0, toMs: loadMs },
  ],
  responseOf: (request) => (request.webhookId === slow.webhookId ? { afterMs: 1000 } : promptly(request)),
  durationMs: 360_000,
};

export const slowEndpointScenario: IsolationScenario = {
  name: 'an endpoint that answers 16 a second gets 5,000 certificates at once',
  without,
  trouble: {
    ...without,
    writes: [...without.writes, { kind: 'burst', ownerId: slow.ownerId, count: certificates, atMs }],
  },
  bounds: [
    ...undisturbed('others', { times: 1.05 }),
    // Those right after the burst wait for the second after which the endpoint is late, and for two batches to the tier.
    queueingAtMost('others in its partition', { times: 1.1 }),
    longestQueueingBelow('others in its partition', 2500),
    figureAtMost('delivers all of them in at most 1.1 times the shortest time', deliveredAfterMs, shortestMs * 1.1),
    writesAtMost('the slow endpoint', 10),
  ],
};

/** Returns the time from the burst to the last delivery, or infinity while some are missing. */
function deliveredAfterMs(figures: Figures): number {
  const { delivered, perSecond } = groupIn(figures, 'the slow endpoint');
  return delivered < certificates ? Number.POSITIVE_INFINITY : (delivered / perSecond) * 1000;
}
