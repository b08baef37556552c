import { hashOf, promptly, type EndpointResponse, type Situation, type IsolationScenario } from '../situation.ts';
import { deliversBetween, latencyAtMost, queueingAtMost, sameThroughput } from './bounds.ts';
import { isInPartitionOf } from './owners.ts';

const group = 'the failing sometimes';
const failing = { webhookId: 'hook-failing', ownerId: 'owner-0', groups: [group] };
/** Three owners whose records are in the same partitions of the certificates and of each tier. */
const limited = Array.from({ length: 100 }, (_, number) => `owner-${number + 1}`)
  .filter(isInPartitionOf(failing.ownerId))
  .slice(0, 3)
  .map((ownerId) => ({ webhookId: `hook-of-${ownerId}`, ownerId, groups: [ownerId], limits: { perMinute: 600 } }));
const durationMs = 4.5 * 60_000;
/** The number that keeps a webhook busy for most of that time. The last ones are read after half a minute. */
const burst = 2500;

function situationWith(bursts: Situation['writes']): Situation {
  return {
    subscriptions: [failing, ...limited],
    writes: [
      { kind: 'steady', ownerIds: [failing.ownerId], perSecond: 1, fromMs: 30_000, toMs: durationMs - 30_000 },
      ...bursts,
    ],
    responseOf: failsOnce(failing.webhookId),
    durationMs,
  };
}

/** Fails the first attempt of one delivery in four to that webhook. Its circuit stays closed. */
function failsOnce(webhookId: string): Situation['responseOf'] {
  const failed = new Set<string>();
  return (request): EndpointResponse => {
    const { deliveryId } = request;
    if (request.webhookId !== webhookId || hashOf(deliveryId) % 4 > 0 || failed.has(deliveryId))
      return promptly(request);
    failed.add(deliveryId);
    return { afterMs: 20, outcome: { kind: 'http_error', status: 500, retryAfterMs: undefined } };
  };
}

export const limitedInOnePartitionScenario: IsolationScenario = {
  name: `three owners of a partition with 600 attempts a minute each get ${burst} certificates at once`,
  without: situationWith([]),
  trouble: situationWith(limited.map(({ ownerId }) => ({ kind: 'burst', ownerId, count: burst, atMs: 0 }))),
  bounds: [
    sameThroughput(group),
    latencyAtMost(group, 1.05),
    queueingAtMost(group, { plusMs: 5 }),
    ...limited.map(({ ownerId }) => deliversBetween(ownerId, burst * 0.95)),
  ],
};
