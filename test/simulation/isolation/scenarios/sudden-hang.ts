import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { longestQueueingBelow, undisturbed } from './bounds.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const loadMs = 30_000;
const hangFromMs = 5000;
const endpoints = 400;

const subscriptions = ownersWithOneWebhook(endpoints, (number) => [number < 200 ? 'the first half' : 'the others']);

const without: Situation = {
  subscriptions,
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(subscriptions), perSecond: 1000, fromMs: 0, toMs: loadMs }],
  responseOf: promptly,
  durationMs: loadMs + 1000,
};

/** Creates a scenario in which so many of the first half begin to hang. */
function suddenHang(hanging: number): IsolationScenario {
  const hangingIds = new Set(subscriptions.slice(0, hanging).map(({ webhookId }) => webhookId));
  return {
    name: `${hanging} of ${endpoints} endpoints begin to hang at once`,
    without,
    trouble: {
      ...without,
      responseOf: (request) =>
        request.atMs >= hangFromMs && hangingIds.has(request.webhookId) ? undefined : promptly(request),
    },
    bounds: undisturbed('the others', { times: 1.05 }),
  };
}

export const hundredHangScenario = suddenHang(100);
export const twoHundredHangScenario = suddenHang(200);

const burstAtMs = 10_000;
const hanging = subscriptions.slice(0, 100);
const hangingIds = new Set(hanging.map(({ webhookId }) => webhookId));

/** The bursts ask for four times the capacity of the process before any of the endpoints is late. */
export const hangingBurstsScenario: IsolationScenario = {
  name: 'a hundred endpoints get bursts and hang',
  without,
  trouble: {
    ...without,
    writes: [
      ...without.writes,
      ...hanging.map(({ ownerId }) => ({ kind: 'burst', ownerId, count: 16, atMs: burstAtMs }) as const),
    ],
    responseOf: (request) =>
      request.atMs >= burstAtMs && hangingIds.has(request.webhookId) ? undefined : promptly(request),
  },
  bounds: [...undisturbed('the others', { times: 1.1 }), longestQueueingBelow('the others', 200)],
};
