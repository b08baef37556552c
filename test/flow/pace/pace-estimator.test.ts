import { describe, expect, it } from 'vitest';
import { PaceEstimator } from '../../../src/flow/pace/pace-estimator.ts';

const limits = { maxAgeMs: 86_400_000, maxWaitMs: 15_000 };

/** Rejects deliveries while nothing is free before the next interval is over. Returns when they should be back. */
function reserve(pace: PaceEstimator, now: number, { waiting = 0, isBack = false, times = 1 } = {}): readonly number[] {
  return Array.from({ length: times }, () => pace.reserve({ nextAt: now + pace.intervalMs, waiting, isBack }, now));
}

/** An endpoint that was slow, and answers ten times faster. */
function aFasterPace(): PaceEstimator {
  const pace = new PaceEstimator(1000, limits);
  for (let count = 0; count < 2000; count += 1) pace.completed(1600, 16);
  return pace;
}

describe('PaceEstimator', () => {
  it('reserves free times one after the other, behind the deliveries that wait already', () => {
    const pace = new PaceEstimator(100, limits);
    expect(reserve(pace, 1000, { waiting: 5, times: 3 })).toEqual([550, 650, 750]);
  });

  it('gives one that was back the next free time, and the next one to another', () => {
    const pace = new PaceEstimator(100, limits);
    reserve(pace, 0, { times: 1000 });
    expect(reserve(pace, 0, { waiting: 5, isBack: true, times: 2 })).toEqual([525, 625]);
  });

  it('forgets the guess with the first request that ends', () => {
    const pace = new PaceEstimator(500, limits);
    pace.completed(100, 1);
    expect(pace.intervalMs).toBe(100);
  });

  it('reserves closer free times while few requests have ended, so that the endpoint is not idle', () => {
    const stepAfter = (completions: number): number => {
      const pace = new PaceEstimator(500, limits);
      for (let count = 0; count < completions; count += 1) pace.completed(1000, 1);
      const [first = 0, second = 0] = reserve(pace, 0, { times: 2 });
      return second - first;
    };
    expect([1, 4, 16, 1000].map(stepAfter)).toEqual([125, 619, 860, 1000]);
  });

  it('follows the pace of the endpoint', () => {
    const [first = 0, second = 0] = reserve(aFasterPace(), 20_000, { times: 2 });
    expect(second - first).toBe(100);
  });

  it('keeps the order of its free times while the pace varies', () => {
    const pace = new PaceEstimator(100, limits);
    const times = Array.from({ length: 500 }, (_, count) => {
      pace.completed(count % 100 < 50 ? 80 : 120, 1);
      return reserve(pace, 0);
    }).flat();
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it('gives earlier free times once the endpoint is faster', () => {
    const pace = new PaceEstimator(1000, limits);
    reserve(pace, 0, { times: 3600 });
    expect(reserve(pace, 0)[0]).toBeGreaterThan(3_600_000);
    for (let count = 0; count < 2000; count += 1) pace.completed(160, 16);
    expect(reserve(pace, 20_000)[0]).toBeLessThan(40_000);
  });

  it('reserves no free time that comes too late for a delivery', () => {
    const pace = new PaceEstimator(1000, { ...limits, maxAgeMs: 3_600_000 });
    reserve(pace, 0, { times: 100_000 });
    expect(reserve(pace, 0)[0]).toBeLessThanOrEqual(3_602_000);
    expect([pace.hasReservations(3_600_000), pace.hasReservations(3_602_000)]).toEqual([true, false]);
  });

  it('serves fifty thousand at the pace of sixteen a second within the hour', () => {
    const pace = new PaceEstimator(62.5, limits);
    expect(reserve(pace, 0, { waiting: 256, times: 50_000 }).at(-1)).toBeLessThanOrEqual(3_600_000);
  });
});
