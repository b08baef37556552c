import { promptly, type Situation, type IsolationScenario } from '../situation.ts';
import { undisturbed } from './bounds.ts';
import { inGroup, ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

/** Long enough for two timeouts of one delivery, with the first tier between them. */
const loadMs = 45_000;

const subscriptions = ownersWithOneWebhook(2000, (number) => [number % 10 === 0 ? 'black holes' : 'the healthy']);
const blackHoles = inGroup(subscriptions, 'black holes');

const without: Situation = {
  subscriptions,
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(subscriptions), perSecond: 1000, fromMs: 0, toMs: loadMs }],
  responseOf: promptly,
  durationMs: loadMs + 1000,
};

export const blackHolesScenario: IsolationScenario = {
  name: 'one in ten of 2,000 endpoints never answers',
  without,
  trouble: {
    ...without,
    responseOf: (request) => (blackHoles.has(request.webhookId) ? undefined : promptly(request)),
  },
  bounds: undisturbed('the healthy', { times: 1.05 }),
};
