import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { noneThroughTier, undisturbed } from './bounds.ts';
import { isInPartitionOf, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const loadMs = 40_000;
const burst = { webhookId: 'hook-burst', ownerId: 'owner-burst', groups: ['the burst'] } as const;
const sharesPartition = isInPartitionOf(burst.ownerId);

const singles = ownersWithOneWebhook(1100, (_, ownerId) =>
  sharesPartition(ownerId) ? ['singles in its partition'] : ['singles'],
);

/** Certificates of about a thousand other owners, in all partitions. */
const without: Situation = {
  subscriptions: [burst, ...singles],
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(singles), perSecond: 220, fromMs: 0, toMs: loadMs }],
  responseOf: (request) => (request.webhookId === burst.webhookId ? { afterMs: 5 } : promptly(request)),
  durationMs: loadMs + 5000,
};

const certificates = { kind: 'burst', ownerId: burst.ownerId, count: 100_000, atMs: 2000 } as const;

export const burstScenario: IsolationScenario = {
  name: 'one owner gets 100,000 certificates at once',
  without,
  trouble: { ...without, writes: [...without.writes, certificates] },
  bounds: [...undisturbed('singles', { plusMs: 50 }), noneThroughTier('the burst')],
};

/** A smaller burst is enough to fill all partitions. Certificates behind it wait in each of them. */
export const spreadBurstScenario: IsolationScenario = {
  name: 'one owner gets 36,000 certificates at once in all partitions',
  without,
  trouble: { ...without, writes: [...without.writes, { ...certificates, count: 36_000, spread: true }] },
  bounds: [noneThroughTier('singles'), noneThroughTier('the burst')],
};
