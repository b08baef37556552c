import { groupIn } from '../figures.ts';
import { promptly, type Situation } from '../situation.ts';
import { figureAtMost, noneThroughTier, queueingAtMost, sameThroughput } from './bounds.ts';
import { inGroup, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';
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
function deliversLimitTo(webhooks: number): Bound {
  const most = minutes * perMinute * webhooks;
  return {
    title: `delivers at most ${most} to the limited, and 95 % of that in ${minutes} minutes`,
    violation: ({ trouble }) => {
      const { delivered } = groupIn(trouble, 'the limited');
      return delivered <= most && delivered >= most * 0.95 ? undefined : `it is ${delivered} in ${minutes} minutes`;
    },
  };
}

const writesTenTimes = figureAtMost(
  'writes a delivery to the limited to tiers ten times at most',
  (figures) => groupIn(figures, 'the limited').maxWrites,
  10,
);

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
    deliversLimitTo(1),
    writesTenTimes,
  ],
};

const manyLimited = Array.from({ length: 12 }, (_, number) => ({
  ...limited,
  webhookId: `hook-limited-${number}`,
  ownerId: `owner-limited-${number}`,
}));
const endpoints = ownersWithOneWebhook(1000, (number) => [number % 5 === 0 ? 'black holes' : 'the healthy']);
const blackHoles = inGroup(endpoints, 'black holes');

/** Each burst takes the limited ten seconds, in which it waits in their rooms. */
const bursts: Situation = {
  ...without,
  subscriptions: [...manyLimited, ...endpoints],
  writes: [
    { kind: 'steady', ownerIds: ownerIdsOf(endpoints), perSecond: 500, fromMs: 0, toMs: loadMs },
    ...[10_000, 25_000, 40_000].flatMap((atMs) =>
      manyLimited.map(({ ownerId }) => ({ kind: 'burst', ownerId, count: 100, atMs }) as const),
    ),
  ],
  durationMs: loadMs + 1000,
};

/** The black holes use up the capacity of suspect endpoints. */
export const limitedAndHangingScenario: IsolationScenario = {
  name: `${blackHoles.size} endpoints never answer, while ${manyLimited.length} with 600 attempts a minute get bursts`,
  without: bursts,
  trouble: {
    ...bursts,
    responseOf: (request) => (blackHoles.has(request.webhookId) ? undefined : promptly(request)),
  },
  bounds: ['the limited', 'the healthy'].flatMap((group) => [
    queueingAtMost(group, { times: 1.05 }),
    sameThroughput(group),
    noneThroughTier(group),
  ]),
};
