import { promptly, type Situation } from '../situation.ts';
import { noneThroughTier, queueingAtMost, sameThroughput } from './bounds.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './owners.ts';
import type { IsolationScenario } from './scenario.ts';

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
    bounds: [
      queueingAtMost('the others', { times: 1.05 }),
      sameThroughput('the others'),
      noneThroughTier('the others'),
    ],
  };
}

export const hundredHangScenario = suddenHang(100);
export const twoHundredHangScenario = suddenHang(200);
