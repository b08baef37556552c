import { promptly, type EndpointResponse, type Situation, type Bound, type IsolationScenario } from '../situation.ts';
import { groupIn } from '../figures.ts';
import { allDelivered, noneThroughTier, writesAtMost } from './bounds.ts';

const group = 'the burst';
const burst = { webhookId: 'hook-burst', ownerId: 'owner-burst', groups: [group] };
const certificates = 2000;

/** Creates a scenario whose endpoint gets a burst that fills its room. With 16 in flight, 256 waiting take 16 answers. */
function fullRoom(name: string, response: EndpointResponse, bounds: readonly Bound[]): IsolationScenario {
  const without: Situation = {
    subscriptions: [burst],
    writes: [{ kind: 'burst', ownerId: burst.ownerId, count: certificates, atMs: 1000 }],
    responseOf: promptly,
    durationMs: 600_000,
  };
  return {
    name,
    without,
    trouble: { ...without, responseOf: () => response },
    bounds: [allDelivered(group), ...bounds],
  };
}

export const fullRoomScenario = fullRoom(
  'a burst fills a waiting room that takes less than a second',
  { afterMs: 55 },
  [noneThroughTier(group)],
);

export const lateFullRoomScenario = fullRoom(
  'a burst fills a waiting room that takes longer than a second',
  { afterMs: 80 },
  [
    {
      title: `defers deliveries to ${group}, because it is late`,
      violation: ({ trouble }) => (groupIn(trouble, group).throughTier > 0 ? undefined : 'none goes through a tier'),
    },
    writesAtMost(group, 10),
  ],
);
