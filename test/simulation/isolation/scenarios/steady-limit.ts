import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { deliversBetween, longestQueueingBelow, noneThroughTier, sameThroughput, writesAtMost } from './bounds.ts';

const perMinute = 60;
const minutes = 4 * 60;
const most = perMinute * minutes;
const group = 'the limited';

/** Creates a scenario in which this part of the limit comes in all the time. */
function steadyInflow(part: number, bounds: IsolationScenario['bounds']): IsolationScenario {
  const one = { webhookId: 'hook-limited', ownerId: 'owner-limited', groups: [group] };
  const perSecond = (perMinute / 60) * part;
  const without: Situation = {
    subscriptions: [one],
    writes: [{ kind: 'steady', ownerIds: [one.ownerId], perSecond, fromMs: 0, toMs: minutes * 60_000 }],
    responseOf: promptly,
    durationMs: minutes * 60_000,
  };
  return {
    name: `a webhook with ${perMinute} attempts a minute gets ${perMinute * part} certificates a minute for ${minutes / 60} hours`,
    without,
    trouble: { ...without, subscriptions: [{ ...one, limits: { perMinute } }] },
    bounds,
  };
}

export const belowLimitScenario = steadyInflow(0.95, [
  sameThroughput(group),
  noneThroughTier(group),
  longestQueueingBelow(group, 2000),
]);

export const aboveLimitScenario = steadyInflow(1.05, [
  deliversBetween(group, most * 0.99, most),
  // The backlog of 12 minutes, and half of it.
  longestQueueingBelow(group, 18 * 60_000),
  // Of such a wait, the most that docs/guarantees.md allows: 1 of 10 min, 9 of 1 min, 6 of 10 s, and four.
  writesAtMost(group, 20),
]);
