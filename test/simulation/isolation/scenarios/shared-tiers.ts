import { groupIn } from '../figures.ts';
import { hashOf, promptly, type EndpointResponse, type Situation } from '../situation.ts';
import { latencyAtMost, queueingAtMost, sameThroughput } from './bounds.ts';
import { isInPartitionOf } from './owners.ts';
import type { Bound, IsolationScenario } from './scenario.ts';

const group = 'the failing sometimes';
const failing = { webhookId: 'hook-failing', ownerId: 'owner-0', groups: [group] };
/** Three owners whose records are in the same partitions of the certificates and of each tier. */
const overloaded = Array.from({ length: 100 }, (_, number) => `owner-${number + 1}`)
  .filter(isInPartitionOf(failing.ownerId))
  .slice(0, 3)
  .map((ownerId) => ({ webhookId: `hook-of-${ownerId}`, ownerId, groups: [ownerId] }));

const minutes = 4.5;
const durationMs = minutes * 60_000;
const burst = 2500;

interface Overload {
  readonly name: string;
  readonly limits?: { readonly perMinute: number };
  /** The time in which the overloaded endpoints answer. Promptly if left out. */
  readonly answerMs?: number;
  /** The most that each of them takes. */
  readonly most: number;
  /** The part of that which each of them gets at least. */
  readonly least: number;
}

/** Creates a scenario in which the backlogs of overloaded endpoints pass through the tiers of an endpoint that fails. */
function sharedTiers({ name, limits, answerMs, most, least }: Overload): IsolationScenario {
  const situationWith = (writes: Situation['writes']): Situation => ({
    subscriptions: [failing, ...overloaded.map((one) => ({ ...one, ...(limits === undefined ? {} : { limits }) }))],
    writes: [
      { kind: 'steady', ownerIds: [failing.ownerId], perSecond: 1, fromMs: 30_000, toMs: durationMs - 30_000 },
      ...writes,
    ],
    responseOf: failsOnce(failing.webhookId, answerMs),
    durationMs,
  });
  return {
    name,
    without: situationWith([]),
    trouble: situationWith(overloaded.map(({ ownerId }) => ({ kind: 'burst', ownerId, count: burst, atMs: 0 }))),
    bounds: [
      sameThroughput(group),
      latencyAtMost(group, 1.1),
      queueingAtMost(group, { plusMs: 5 }),
      ...overloaded.map(({ ownerId }) => deliversTo(ownerId, most, least)),
    ],
  };
}

/** Fails the first attempt of one delivery in four to that webhook. Its circuit stays closed. */
function failsOnce(webhookId: string, othersAnswerMs: number | undefined): Situation['responseOf'] {
  const failed = new Set<string>();
  return (request): EndpointResponse => {
    if (request.webhookId !== webhookId)
      return othersAnswerMs === undefined ? promptly(request) : { afterMs: othersAnswerMs };
    if (hashOf(request.deliveryId) % 4 > 0 || failed.has(request.deliveryId)) return promptly(request);
    failed.add(request.deliveryId);
    return { afterMs: 20, outcome: { kind: 'http_error', status: 500, retryAfterMs: undefined } };
  };
}

function deliversTo(name: string, most: number, least: number): Bound {
  return {
    title: `delivers at least ${least * 100} % of ${most} to ${name}`,
    violation: ({ trouble }) => {
      const { delivered } = groupIn(trouble, name);
      return delivered >= most * least && delivered <= most ? undefined : `it is ${delivered}`;
    },
  };
}

export const limitedInOnePartitionScenario = sharedTiers({
  name: `three owners of a partition with 600 attempts a minute each get ${burst} certificates at once`,
  limits: { perMinute: 600 },
  most: burst,
  least: 0.95,
});

/** 16 requests in two seconds, of which suspect endpoints share 32 in the retries' part. */
export const slowInOnePartitionScenario = sharedTiers({
  name: `the endpoints of three owners of a partition answer after 2 s, and get ${burst} certificates each at once`,
  answerMs: 2000,
  most: (durationMs / 2000) * 16,
  least: 0.6,
});
