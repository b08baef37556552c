import type { RequestOutcome } from '../../../../src/deliveries/outcome.ts';
import { promptly, type EndpointResponse, type Situation, type IsolationScenario } from '../situation.ts';
import { allDelivered, latencyAtMost, noneThroughTier, queueingAtMost } from './bounds.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './owners.ts';

const loadMs = 30_000;

const cut: RequestOutcome = { kind: 'protocol_error', message: 'it sends too much', hasExceeded: true };
const refused: RequestOutcome = { kind: 'tls_error', message: 'its handshake is refused' };
const delivered: RequestOutcome = { kind: 'delivered', status: 200 };

/**
 * All ways in which an endpoint may take processor time. `busyMs` is the most that a connection to an endpoint of
 * `test/http/hostile` was measured to take. `docs/egress.md` has the figures.
 */
const kinds: readonly NonNullable<EndpointResponse>[] = [
  // A head without end, interim responses without end, records of TLS without content, requests to renegotiate.
  ...Array.from({ length: 6 }, () => ({ afterMs: 1, outcome: cut, busyMs: 30 })),
  // A body without end behind a 2xx. The service closes the connection at the limit of a body, which is no failure.
  ...Array.from({ length: 3 }, () => ({ afterMs: 1, outcome: delivered, busyMs: 9 })),
  // A group or a key that is refused.
  ...Array.from({ length: 2 }, () => ({ afterMs: 1, outcome: refused, busyMs: 9 })),
];

const hostile = kinds.map((response, number) => {
  const id = `hostile-${number}`;
  return { webhookId: id, ownerId: id, groups: ['the hostile'], response };
});
const responses = new Map(hostile.map(({ webhookId, response }) => [webhookId, response]));
const healthy = ownersWithOneWebhook(50, () => ['the healthy']);

const without: Situation = {
  subscriptions: [...healthy, ...hostile],
  writes: [{ kind: 'steady', ownerIds: ownerIdsOf(healthy), perSecond: 50, fromMs: 0, toMs: loadMs }],
  responseOf: (request) => responses.get(request.webhookId) ?? promptly(request),
  durationMs: loadMs + 1000,
};

export const hostileScenario: IsolationScenario = {
  name: 'eleven endpoints send too much, each with five certificates a second',
  without,
  trouble: {
    ...without,
    writes: [
      ...without.writes,
      { kind: 'steady', ownerIds: ownerIdsOf(hostile), perSecond: 5 * hostile.length, fromMs: 0, toMs: loadMs },
    ],
  },
  bounds: [
    latencyAtMost('the healthy', 1.2),
    queueingAtMost('the healthy', { plusMs: 20 }),
    allDelivered('the healthy'),
    noneThroughTier('the healthy'),
  ],
};
