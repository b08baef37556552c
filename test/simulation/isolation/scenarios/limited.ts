import { groupIn } from '../figures.ts';
import { promptly, type Situation } from '../situation.ts';
import { figureAtMost, noneThroughTier, queueingAtMost, sameThroughput } from './bounds.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './owners.ts';
import type { Bound, IsolationScenario } from './scenario.ts';

const loadMs = 60_000;
const burstAtMs = 2000;
const perMinute = 600;
const minutes = 3;
const limited = {
  webhookId: 'hook-limited',
  ownerId: 'owner-limited',
  groups: ['the limited'],
  limits: { perMinute },
} as const;
const singles = ownersWithOneWebhook(1000, () => ['singles']);

const without: Situation = {
  subscriptions: [limited, ...singles],
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(singles), perSecond: 220, fromMs: 0, toMs: loadMs }],
  responseOf: promptly,
  durationMs: burstAtMs + minutes * 60_000,
};

/** Half a minute passes until the free times in the tiers follow on what has waited at the endpoint. */
const deliversItsLimit: Bound = {
  title: `delivers at most ${perMinute} a minute to the limited, and 95 % of that in ${minutes} minutes`,
  violation: ({ trouble }) => {
    const { delivered } = groupIn(trouble, 'the limited');
    const most = minutes * perMinute;
    return delivered <= most && delivered >= most * 0.95 ? undefined : `it is ${delivered} in ${minutes} minutes`;
  },
};

export const limitedScenario: IsolationScenario = {
  name: 'one owner with 600 attempts a minute gets 3,000 certificates at once',
  without,
  trouble: {
    ...without,
    writes: [...without.writes, { kind: 'burst', ownerId: limited.ownerId, count: 3000, atMs: burstAtMs }],
  },
  bounds: [
    queueingAtMost('singles', { times: 1.05 }),
    sameThroughput('singles'),
    noneThroughTier('singles'),
    deliversItsLimit,
    figureAtMost(
      'writes a delivery to the limited to tiers ten times at most',
      (figures) => groupIn(figures, 'the limited').maxWrites,
      10,
    ),
  ],
};
