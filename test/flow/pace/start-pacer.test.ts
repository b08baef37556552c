import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartPacer } from '../../../src/flow/pace/start-pacer.ts';

const minuteMs = 60_000;

/** Starts as soon as allowed, but late by each of these times. Returns the times of the starts. */
function starts(pacer: StartPacer, lateness: readonly number[]): readonly number[] {
  return lateness.map((late) => {
    const at = pacer.readyAt + late;
    if (!pacer.isReady(at)) throw new Error('it is not ready at its own time');
    pacer.started(at);
    return at;
  });
}

/** Returns the shortest time in which one more than the limit starts; infinity if fewer start. */
function oneMoreWithin(times: readonly number[], perMinute: number): number {
  return times.slice(perMinute).reduce((least, at, index) => Math.min(least, at - (times[index] ?? 0)), Infinity);
}

const limits = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 60_000 }));
/** The latenesses of starts, which repeat. Short ones fill the minute also at a high limit. */
const latenesses = fc
  .constantFrom(0, 1, 100, 300, 5000)
  .chain((max) => fc.array(fc.double({ min: 0, max, noNaN: true }), { minLength: 1, maxLength: 120 }));

/** Returns the latenesses of the starts of two minutes. */
function repeated(some: readonly number[], perMinute: number): readonly number[] {
  return Array.from({ length: 2 * perMinute + 10 }, (_, index) => some[index % some.length] ?? 0);
}

describe('a pacer', () => {
  it.each([1, 7, 600, 60_000])('starts %d a minute, less 0.2 %', (perMinute) => {
    const pacer = new StartPacer(perMinute, 0);
    const times = starts(pacer, Array(perMinute + 1).fill(0));
    expect(((times.at(-1) ?? 0) - (times[0] ?? 0)) / minuteMs).toBeCloseTo(1 + 0.101 / 60, 5);
  });

  it('makes up for starts that are late by less than the tolerance', () => {
    const times = starts(new StartPacer(6000, 0), Array(6001).fill(3));
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeCloseTo(60_101, 0);
  });

  it('never starts more than its limit in a minute', () => {
    fc.assert(
      fc.property(limits, latenesses, (perMinute, lateness) => {
        const times = starts(new StartPacer(perMinute, 0), repeated(lateness, perMinute));
        expect(oneMoreWithin(times, perMinute)).toBeGreaterThanOrEqual(minuteMs);
      }),
    );
  });

  it('lets no more than its limit be written in a minute, in whichever order connections open', () => {
    const opening = fc.array(fc.constantFrom(0, 0, 20, 254, 3000, 5000), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), latenesses, opening, (perMinute, lateness, opens) => {
        const pacer = new StartPacer(perMinute, 0);
        const started = starts(pacer, repeated(lateness, perMinute));
        const ready = started.map((at, index) => at + (opens[index % opens.length] ?? 0));
        const written = ready.toSorted((one, other) => one - other).map((at) => at + pacer.write(at));
        expect(oneMoreWithin(written, perMinute)).toBeGreaterThanOrEqual(minuteMs);
        const longest = Math.max(...written.map((at, index) => at - (started[index] ?? 0)));
        expect(longest).toBeLessThanOrEqual(5000 + 100);
      }),
    );
  });

  it('keeps the limit together with the process that had the partition before', () => {
    fc.assert(
      fc.property(limits, latenesses, latenesses, (perMinute, before, after) => {
        const first = starts(new StartPacer(perMinute, 0), repeated(before, perMinute));
        const second = starts(new StartPacer(perMinute, first.at(-1) ?? 0), repeated(after, perMinute));
        expect(oneMoreWithin([...first, ...second], perMinute)).toBeGreaterThanOrEqual(minuteMs);
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
