import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartPacer } from '../../../src/deliveries/gates/start-pacer.ts';

const minuteMs = 60_000;

/** Starts as soon as allowed, but late by each of these times. Returns the times of the starts. */
function starts(pacer: StartPacer, lateness: readonly number[]): readonly number[] {
  return lateness.map((late) => {
    const at = pacer.readyAt + late;
    expect(pacer.isReady(at)).toBe(true);
    pacer.started(at);
    return at;
  });
}

/** Returns the most starts in any minute. */
function mostInMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + minuteMs).length));
}

const limits = fc.integer({ min: 1, max: 40 });
const latenesses = fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { minLength: 1, maxLength: 120 });

describe('a pacer', () => {
  it.each([1, 7, 600, 60_000])('starts %d a minute, less 0.2 %', (perMinute) => {
    const pacer = new StartPacer(perMinute, 0);
    const [first = 0, ...later] = starts(
      pacer,
      Array.from({ length: perMinute + 1 }, () => 0),
    );
    expect(((later.at(-1) ?? 0) - first) / minuteMs).toBeCloseTo(1 + 0.101 / 60, 5);
  });

  it('makes up for starts that are late by less than the tolerance', () => {
    const times = starts(
      new StartPacer(6000, 0),
      Array.from({ length: 6001 }, () => 3),
    );
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeCloseTo(60_101, 0);
  });

  it('never starts more than its limit in a minute', () => {
    fc.assert(
      fc.property(limits, latenesses, (perMinute, lateness) => {
        expect(mostInMinute(starts(new StartPacer(perMinute, 0), lateness))).toBeLessThanOrEqual(perMinute);
      }),
    );
  });

  it('keeps the limit together with the process that had the partition before', () => {
    fc.assert(
      fc.property(limits, latenesses, latenesses, (perMinute, before, after) => {
        const first = starts(new StartPacer(perMinute, 0), before);
        const second = starts(new StartPacer(perMinute, first.at(-1) ?? 0), after);
        expect(mostInMinute([...first, ...second])).toBeLessThanOrEqual(perMinute);
      }),
    );
  });

  it('waits for a spacing after another assignment, and not for longer than without it', () => {
    const pacer = new StartPacer(60, 0);
    pacer.started(pacer.readyAt);
    const { readyAt } = pacer;
    pacer.assigned(readyAt - pacer.spacingMs);
    expect(pacer.readyAt).toBeCloseTo(readyAt + 100);
  });
});
