import type { Situation, IsolationScenario } from '../situation.ts';
import { deliversBetween, writesAtMost } from './bounds.ts';

const group = 'the limited';
const inFlight = 2;
const burstAtMs = 1000;
const minutes = 2;

/** Creates a scenario in which an endpoint that takes two requests at once has more waiting than it takes in the time. */
function backlogOf(answerMs: number): IsolationScenario {
  const most = (minutes * 60_000 * inFlight) / answerMs;
  const one = { webhookId: 'hook-limited', ownerId: 'owner-limited', groups: [group], limits: { inFlight } };
  const situation: Situation = {
    subscriptions: [one],
    writes: [{ kind: 'burst', ownerId: one.ownerId, count: Math.ceil(most * 1.1), atMs: burstAtMs }],
    responseOf: () => ({ afterMs: answerMs }),
    durationMs: burstAtMs + minutes * 60_000,
  };
  return {
    name: `an endpoint takes ${inFlight} requests at once, answers after ${answerMs} ms, and has a backlog of ${minutes} minutes`,
    without: situation,
    trouble: situation,
    bounds: [
      // It is busy for 95 % of the time.
      deliversBetween(group, most * 0.95),
      writesAtMost(group, 20),
    ],
  };
}

export const busyEndpointScenarios: readonly IsolationScenario[] = [50, 300, 3000].map(backlogOf);
