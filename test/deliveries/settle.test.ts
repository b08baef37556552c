import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forNextAttempt } from '../../src/deliveries/attempt-result.ts';
import type { Delivery } from '../../src/deliveries/delivery.ts';
import { noResponses, type Outcome } from '../../src/deliveries/outcome.ts';
import type { Schedule } from '../../src/deliveries/schedule.ts';
import { settle, waitUntil } from '../../src/deliveries/settle.ts';
import { aDelivery } from '../support/builders.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const schedule: Schedule = {
  delaysMs: [10 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour, 36 * hour],
  maxAgeMs: 72 * hour,
};
const { plannedAt: now } = aDelivery();

describe('settle', () => {
  it.each<Outcome>([{ kind: 'delivered', status: 204 }, { kind: 'unsubscribed' }])('is done with $kind', (outcome) => {
    expect(settle(aDelivery(), outcome, schedule, now)).toEqual({ kind: 'done' });
  });

  it.each<Outcome>([
    { kind: 'http_error', status: 301, retryAfterMs: undefined },
    { kind: 'http_error', status: 400, retryAfterMs: undefined },
    { kind: 'http_error', status: 410, retryAfterMs: undefined },
    { kind: 'http_error', status: 503, retryAfterMs: undefined },
    ...noResponses.map((kind) => ({ kind, message: 'no answer' })),
    { kind: 'blocked', message: 'not public' },
  ])('tries $kind $status again in the tier of the attempt', (outcome) => {
    expect(settle(aDelivery({ attempt: 1 }), outcome, schedule, now)).toEqual(retry(0, 10 * second));
    expect(settle(aDelivery({ attempt: 3 }), outcome, schedule, now)).toEqual(retry(2, 10 * minute));
  });

  it('dead-letters a delivery after its last tier', () => {
    const spent = aDelivery({ attempt: 8, plannedAt: now - 68 * hour });
    expect(settle(spent, answered(500), schedule, now)).toEqual({ kind: 'dead', reason: 'exhausted' });
    expect(settle(aDelivery({ attempt: 7 }), answered(500), schedule, now)).toEqual(retry(6, 36 * hour));
  });

  it.each([
    { asks: '1 s', retryAfterMs: second, tier: 0, delay: 10 * second },
    { asks: '10 s', retryAfterMs: 10 * second, tier: 0, delay: 10 * second },
    { asks: '11 s', retryAfterMs: 11 * second, tier: 1, delay: minute },
    { asks: '2 h', retryAfterMs: 2 * hour, tier: 4, delay: 6 * hour },
    { asks: '30 days', retryAfterMs: 720 * hour, tier: 6, delay: 36 * hour },
  ])('waits at least as long as an endpoint that asks for $asks, in a tier', ({ retryAfterMs, tier, delay }) => {
    expect(settle(aDelivery(), answered(429, retryAfterMs), schedule, now)).toEqual(retry(tier, delay));
  });

  it('goes by its attempt number again after a longer wait that an endpoint asked for', () => {
    const outcome = answered(429, 2 * hour);
    const settlement = settle(aDelivery(), outcome, schedule, now);
    expect(settlement.kind).toBe('retry');
    const next = settlement.kind === 'retry' ? forNextAttempt(aDelivery(), settlement) : aDelivery();
    expect(settle(next, answered(500), schedule, now)).toEqual(retry(1, minute));
  });

  it.each<Outcome>([
    { kind: 'configuration_invalid' },
    { kind: 'paused' },
    { kind: 'circuit_open' },
    { kind: 'local_error', message: 'no descriptors' },
  ])('defers $kind tier by tier, then by the longest again and again, and counts no attempt', (outcome) => {
    let delivery = aDelivery();
    const tiers: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const settlement = settle(delivery, outcome, schedule, now);
      if (settlement.kind !== 'defer') break;
      tiers.push(settlement.tier);
      delivery = forNextAttempt(delivery, settlement);
    }
    expect(tiers).toEqual([0, 1, 2, 3, 4, 5, 6, 6]);
    expect(delivery.attempt).toBe(1);
    expect(delivery.deferrals).toBe(8);
  });

  it('defers from the tier after the one that the last attempt led to', () => {
    const settlement = settle(aDelivery({ attempt: 3 }), { kind: 'circuit_open' }, schedule, now);
    expect(settlement).toMatchObject({ kind: 'defer', tier: 2, deferrals: 1 });
  });

  it('starts again at the first deferral after an attempt', () => {
    const delivery = aDelivery({ attempt: 2, deferrals: 3 });
    const settlement = settle(delivery, answered(500), schedule, now);
    const next = settlement.kind === 'retry' ? forNextAttempt(delivery, settlement) : delivery;
    expect(next).toMatchObject({ attempt: 3, deferrals: 0 });
  });

  it('defers an overloaded delivery to its free time, in the longest tier that fits, and counts no deferral', () => {
    const overloaded = (waitMs: number): Outcome => ({ kind: 'overloaded', freeInMs: waitMs });
    const settlementAfter = (waitMs: number): unknown =>
      settle(aDelivery({ deferrals: 2 }), overloaded(waitMs), schedule, now);
    expect(settlementAfter(3 * second)).toEqual({ kind: 'defer', tier: 0, dueAt: now + 3 * second, deferrals: 2 });
    expect(settlementAfter(59 * minute)).toEqual({ kind: 'defer', tier: 2, dueAt: now + 59 * minute, deferrals: 2 });
    expect(settlementAfter(hour)).toEqual({ kind: 'defer', tier: 3, dueAt: now + hour, deferrals: 2 });
  });

  it('defers what waits at shutdown to the first tier, due at once', () => {
    const settlement = settle(aDelivery({ attempt: 4 }), { kind: 'draining' }, schedule, now);
    expect(settlement).toEqual({ kind: 'defer', tier: 0, dueAt: now, deferrals: 0 });
  });

  it('dead-letters as expired a delivery that would be due past the greatest age', () => {
    const young = aDelivery({ attempt: 1, plannedAt: now - 72 * hour + 10 * second });
    const old = aDelivery({ attempt: 1, plannedAt: now - 72 * hour + 9999 });
    expect(settle(young, answered(500), schedule, now)).toEqual(retry(0, 10 * second));
    expect(settle(old, answered(500), schedule, now)).toEqual({ kind: 'dead', reason: 'expired' });
    expect(settle(old, { kind: 'paused' }, schedule, now)).toEqual({ kind: 'dead', reason: 'expired' });
    expect(waitUntil(old, schedule, now, now + 10 * second)).toEqual({ kind: 'dead', reason: 'expired' });
  });
});

describe('a delivery whose endpoint never answers', () => {
  it('is attempted once, and once more for each tier', () => {
    const history = settleToTheEnd(() => answered(500));
    expect(history.at(-1)).toEqual('exhausted');
    expect(history).toHaveLength(8);
  });

  it('costs at most eight writes while its circuit stays open', () => {
    const history = settleToTheEnd(() => ({ kind: 'circuit_open' }));
    expect(history.at(-1)).toEqual('expired');
    expect(history.length - 1).toBeLessThanOrEqual(8);
  });

  it('lives for longer than a weekend of 63 hours, whatever mixture of failed attempts and deferrals it meets', () => {
    const { leastHours, mostWrites } = extremesOf(aDelivery(), now);
    expect(leastHours).toBeGreaterThan(67);
    expect(mostWrites).toBeLessThanOrEqual(22);
  });

  it('is not sent again before the time that its endpoint has asked for', () => {
    const old = aDelivery({ attempt: 7, plannedAt: now - 40 * hour });
    expect(settle(old, answered(500), schedule, now)).toEqual(retry(5, 24 * hour));
    expect(settle(old, answered(429, 24 * hour), schedule, now)).toEqual(retry(5, 24 * hour));
    expect(settle(old, answered(429, 25 * hour), schedule, now)).toEqual({ kind: 'dead', reason: 'expired' });
  });

  it('ends in a dead letter whatever mixture of failures it meets', () => {
    const failures = fc.constantFrom<Outcome>(
      answered(500),
      answered(429, hour),
      { kind: 'paused' },
      { kind: 'circuit_open' },
    );
    fc.assert(
      fc.property(fc.infiniteStream(failures), (stream) => {
        const history = settleToTheEnd(() => stream.next().value ?? answered(500));
        expect(['exhausted', 'expired']).toContain(history.at(-1));
        expect(history.length).toBeLessThan(60);
      }),
    );
  });
});

interface Extremes {
  /** The age at the earliest end. */
  readonly leastHours: number;
  readonly mostWrites: number;
}

/** Settles a delivery at each due time, once as a failed attempt and once as a deferral. */
function extremesOf(delivery: Delivery, time: number, known = new Map<string, Extremes>()): Extremes {
  const key = `${delivery.attempt} ${delivery.deferrals} ${time}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const ends = ([answered(500), { kind: 'circuit_open' }] as const).map((outcome): Extremes => {
    const settlement = settle(delivery, outcome, schedule, time);
    if (settlement.kind === 'dead' || settlement.kind === 'done')
      return { leastHours: (time - now) / hour, mostWrites: 0 };
    const { leastHours, mostWrites } = extremesOf(forNextAttempt(delivery, settlement), settlement.dueAt, known);
    return { leastHours, mostWrites: mostWrites + 1 };
  });
  const extremes = {
    leastHours: Math.min(...ends.map(({ leastHours }) => leastHours)),
    mostWrites: Math.max(...ends.map(({ mostWrites }) => mostWrites)),
  };
  known.set(key, extremes);
  return extremes;
}

/**
 * Settles a delivery at each due time to its end. Returns the tiers that it is written to, then the reason of its dead
 * letter.
 */
function settleToTheEnd(outcome: () => Outcome): readonly (number | string)[] {
  const history: (number | string)[] = [];
  let delivery: Delivery = aDelivery();
  let time = now;
  while (history.length < 100) {
    const settlement = settle(delivery, outcome(), schedule, time);
    if (settlement.kind === 'done') return [...history, 'done'];
    if (settlement.kind === 'dead') return [...history, settlement.reason];
    history.push(settlement.tier);
    time = settlement.dueAt;
    delivery = forNextAttempt(delivery, settlement);
  }
  return history;
}

function answered(status: number, retryAfterMs?: number): Outcome {
  return { kind: 'http_error', status, retryAfterMs };
}

function retry(tier: number, delayMs: number): unknown {
  return { kind: 'retry', tier, dueAt: now + delayMs };
}
