import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { deliversBetween, undisturbed, writesAtMost } from './bounds.ts';
import { inGroup, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

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

export const limitedScenario: IsolationScenario = {
  name: 'one owner with 600 attempts a minute gets 3,000 certificates at once',
  without,
  trouble: {
    ...without,
    writes: [...without.writes, { kind: 'burst', ownerId: limited.ownerId, count: 3000, atMs: burstAtMs }],
  },
  bounds: [
    ...undisturbed('singles', { times: 1.05 }),
    // Half a minute passes until the free times in the tiers follow on what has waited at the endpoint.
    deliversBetween('the limited', minutes * perMinute * 0.95, minutes * perMinute),
    writesAtMost('the limited', 10),
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
  bounds: ['the limited', 'the healthy'].flatMap((group) => undisturbed(group, { times: 1.05 })),
};
