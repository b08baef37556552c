import { promptly, type Situation, type Writes, type IsolationScenario } from '../situation.ts';
import { allDelivered, figureAtMost } from './bounds.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const count = 2000;
const ofMany = 'the webhooks of one owner';
const ofOne = 'those of 2,000 owners';
const many = Array.from({ length: count }, (_, number) => ({
  webhookId: `hook-of-many-${number}`,
  ownerId: 'owner-of-many',
  groups: [ofMany],
}));
const singles = ownersWithOneWebhook(count, () => [ofOne]);

function situationOf(writes: readonly Writes[]): Situation {
  return { subscriptions: [...many, ...singles], writes, responseOf: promptly, durationMs: 60_000 };
}

export const manyWebhooksScenario: IsolationScenario = {
  name: `one certificate is for ${count} webhooks, rather than ${count} certificates for one webhook each`,
  without: situationOf(ownerIdsOf(singles).map((ownerId) => ({ kind: 'burst', ownerId, count: 1, atMs: 1000 }))),
  trouble: situationOf([{ kind: 'burst', ownerId: 'owner-of-many', count: 1, atMs: 1000 }]),
  bounds: [
    allDelivered(ofMany),
    {
      title: 'has no longer turns of the event loop',
      violation: ({ without, trouble }) =>
        trouble.longestTurnMs <= without.longestTurnMs
          ? undefined
          : `${trouble.longestTurnMs} ms, and ${without.longestTurnMs} ms`,
    },
    figureAtMost('starts at most 64 deliveries in a turn', ({ maxStartedInTurn }) => maxStartedInTurn, 64),
  ],
};
