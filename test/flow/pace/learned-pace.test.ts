import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { SentRequest } from '../../../src/flow/circuit.ts';
import { Gate } from '../../../src/flow/gate.ts';
import { LearnedPace } from '../../../src/flow/pace/learned-pace.ts';
import {
  behind,
  limiters,
  type LimiterKind,
  type LimiterOptions,
} from '../../simulation/single-subscriber/limiters.ts';
import { anOwner } from '../../support/service/record-context.ts';
import { TestRun } from '../support/test-run.ts';
import { aPolicy, aWebhook, capacityOf } from '../support/gates-under-test.ts';

describe('a learned pace', () => {
  it.each([
    { spacingMs: 1000, starts: 20, of: 'a second' },
    { spacingMs: 100, starts: 200, of: 'a tenth of a second' },
    { spacingMs: 5000, starts: 20, of: 'five seconds' },
  ])('of $of is 5 % shorter after $starts starts, half as long again after two times as many, and then over', (row) => {
    const pace = new LearnedPace(row.spacingMs);
    const partAfter = (starts: number): number => {
      for (let count = 0; count < starts; count += 1) pace.started();
      return Math.round((1000 * pace.spacingMs) / row.spacingMs) / 1000;
    };
    expect([0, 1, 1].map((times) => partAfter(times * row.starts))).toEqual([1, 0.951, 0.67]);
    partAfter(4 * row.starts);
    expect(pace.isOver).toBe(true);
  });

  it.each([100, 1000, 2000, 60_000])('grows with a pause of a second after %d ms, by 5 % at least', (sinceMs) => {
    const pace = new LearnedPace(100);
    pace.paused(1000, sinceMs);
    expect(pace.spacingMs / 100).toBeCloseTo(Math.max(1.05, Math.sqrt(1 + 1000 / sinceMs)));
  });

  it('is ten seconds at most', () => {
    expect(new LearnedPace(600_000).spacingMs).toBe(10_000);
  });
});

/** Limiters of so many requests a second. Their windows allow a whole number of requests. */
function limitersOf(perSecond: fc.Arbitrary<number>, windowsMs: readonly number[]): fc.Arbitrary<Limited> {
  return fc
    .record({
      kind: fc.constantFrom(...(Object.keys(limiters) as LimiterKind[])),
      perSecond,
      shortestMs: fc.constantFrom(...windowsMs),
      afterMs: fc.integer({ min: 5, max: 300 }),
    })
    .map(({ kind, perSecond: rate, shortestMs, afterMs }) => {
      const allowed = Math.max(1, Math.ceil((rate * shortestMs) / 1000));
      return { kind, perSecond: rate, windowMs: (allowed * 1000) / rate, afterMs };
    });
}

interface Limited extends LimiterOptions {
  readonly kind: LimiterKind;
  readonly afterMs: number;
}

/** Sends through a gate as fast as it allows, without end. Returns the rate as a part of the limit, and the part that is refused. */
function sendBehind({ kind, afterMs, ...options }: Limited): { readonly rate: number; readonly refused: number } {
  const gate = new Gate(aWebhook('a'), aPolicy({ capacity: capacityOf(384) }));
  // Others always wait.
  gate.line.enter(new TestRun({ owner: anOwner() }));
  const responseAt = behind(limiters[kind](options), afterMs);
  const { perSecond, windowMs } = options;
  const warmUpMs = 400_000 + 40_000 / perSecond;
  // Whole windows: what a fixed one allows may come all at its beginning.
  const endMs = warmUpMs + Math.ceil((300_000 + 200_000 / perSecond) / windowMs) * windowMs;
  const sent: { readonly at: number; readonly request: SentRequest; readonly outcome: Outcome }[] = [];
  const ends = { delivered: 0, refused: 0 };
  for (let now = 0; now < endMs; now = Math.min(nextStart(gate, now), sent[0]?.at ?? Number.POSITIVE_INFINITY)) {
    for (let first = sent[0]; first !== undefined && first.at <= now; first = sent[0]) {
      sent.shift();
      gate.count('first', false, -1);
      gate.finish(first.outcome, first.request, now);
      if (now >= warmUpMs) ends[first.outcome.kind === 'delivered' ? 'delivered' : 'refused'] += 1;
    }
    while (gate.isOpen(now)) {
      const request = gate.start('first', now);
      gate.count('first', false, 1);
      sent.push({ at: now + afterMs, request, outcome: responseAt(now).outcome });
    }
  }
  return { rate: ends.delivered / (((endMs - warmUpMs) / 1000) * perSecond), refused: ends.refused / ends.delivered };
}

/** Returns the time of a timer for the next request; infinity if one that ends decides. */
function nextStart(gate: Gate, now: number): number {
  const readyAt = gate.readyAt(now);
  return readyAt > now ? Math.ceil(readyAt) : Number.POSITIVE_INFINITY;
}

it('is within 20 % of what a limiter takes after a warm-up, and a fifth of the requests is refused at most', () => {
  const rates = fc.oneof(fc.double({ min: 0.2, max: 2, noNaN: true }), fc.double({ min: 0.2, max: 50, noNaN: true }));
  fc.assert(
    fc.property(limitersOf(rates, [1000, 10_000, 60_000]), (one) => {
      const { rate, refused } = sendBehind(one);
      expect(rate).toBeGreaterThan(0.8);
      expect(rate).toBeLessThan(1.2);
      expect(refused).toBeLessThan(0.2);
    }),
    { seed: 1, numRuns: 200 },
  );
});

it('is half of that at least if the limiter takes one request in less than the second that it asks for', () => {
  fc.assert(
    fc.property(limitersOf(fc.double({ min: 1.1, max: 50, noNaN: true }), [0]), (one) => {
      expect(sendBehind(one).rate).toBeGreaterThan(0.5);
    }),
    { seed: 1, numRuns: 50 },
  );
});
