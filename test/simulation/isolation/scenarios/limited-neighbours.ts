import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { undisturbed } from './bounds.ts';
import { isInPartitionOf, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const loadMs = 120_000;
const burstAtMs = 2000;
const perMinute = 600;
const neighbours = 'owners in their partition';
const owners = ownersWithOneWebhook(3000, () => []);
const sharesPartition = isInPartitionOf('owner-0');

/** A hundred owners of one partition, each with a webhook of 600 attempts a minute. */
const limited = owners
  .filter(({ ownerId }) => sharesPartition(ownerId))
  .slice(0, 100)
  .map(({ webhookId, ownerId }) => ({ webhookId, ownerId, groups: ['the limited'], limits: { perMinute } }));
const limitedIds = new Set(ownerIdsOf(limited));
const others = owners
  .filter(({ ownerId }) => !limitedIds.has(ownerId))
  .slice(-1000)
  .map(({ webhookId, ownerId }) => ({
    webhookId,
    ownerId,
    groups: [sharesPartition(ownerId) ? neighbours : 'other owners'],
  }));

const without: Situation = {
  subscriptions: [...limited, ...others],
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(others), perSecond: 220, fromMs: 0, toMs: loadMs }],
  responseOf: promptly,
  durationMs: loadMs + 5000,
};

interface Bursts {
  readonly webhooks: number;
  readonly count: number;
  /** The time between two bursts. To read the records of a hundred at once takes seconds, whatever their webhooks are. */
  readonly everyMs: number;
}

/** Creates a scenario with a burst for each of some limited webhooks, whose waiting rooms overflow. */
function burstsFor({ webhooks, count, everyMs }: Bursts): IsolationScenario {
  const bursts = limited
    .slice(0, webhooks)
    .map(({ ownerId }, number) => ({ kind: 'burst', ownerId, count, atMs: burstAtMs + number * everyMs }) as const);
  const when = everyMs === 0 ? 'at once' : `each, one every ${everyMs} ms`;
  return {
    name: `${webhooks} owners of one partition with ${perMinute} attempts a minute get ${count} certificates ${when}`,
    without,
    trouble: { ...without, writes: [...without.writes, ...bursts] },
    bounds: [neighbours, 'other owners'].flatMap((group) => undisturbed(group, { plusMs: 50 })),
  };
}

export const limitedNeighboursScenarios: readonly IsolationScenario[] = [
  burstsFor({ webhooks: 3, count: 1000, everyMs: 0 }),
  burstsFor({ webhooks: 10, count: 1000, everyMs: 0 }),
  burstsFor({ webhooks: 100, count: 500, everyMs: 400 }),
];
