import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { queueingAtMost, undisturbed } from './bounds.ts';
import { isInPartitionOf, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

/** Long enough for 2,400 samples in the partition: of 600, the phase of the fetches decides the p99. */
const loadMs = 120_000;
const perSecond = 250;
const busy = { webhookId: 'hook-busy', ownerId: 'owner-busy', groups: ['the busy endpoint'] } as const;
const sharesPartition = isInPartitionOf(busy.ownerId);

const others = ownersWithOneWebhook(199, (_, ownerId) =>
  sharesPartition(ownerId) ? ['others', 'others in its partition'] : ['others'],
);

const without: Situation = {
  subscriptions: [busy, ...others],
  writes: [
    { kind: 'steady', ownerIds: [busy.ownerId], perSecond, fromMs: 0, toMs: loadMs },
    { kind: 'steady', ownerIds: ownerIdsOf(others), perSecond, fromMs: 0, toMs: loadMs },
  ],
  // With 16 in flight, it must answer within 64 ms to receive 250 a second.
  responseOf: (request) => (request.webhookId === busy.webhookId ? { afterMs: 20 } : promptly(request)),
  durationMs: loadMs + 1000,
};

export const hangingHalfScenario: IsolationScenario = {
  name: 'one of 200 endpoints gets half of all certificates and hangs',
  without,
  trouble: {
    ...without,
    responseOf: (request) => (request.webhookId === busy.webhookId ? undefined : promptly(request)),
  },
  bounds: [
    // Each delivery to the busy endpoint becomes a record of a tier. Encoding their batches is what costs the others.
    ...undisturbed('others', { times: 1.05 }),
    queueingAtMost('others in its partition', { times: 1.05 }),
  ],
};
