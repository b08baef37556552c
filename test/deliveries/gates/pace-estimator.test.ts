import { describe, expect, it } from 'vitest';
import { PaceEstimator } from '../../../src/deliveries/gates/pace-estimator.ts';

const dayMs = 86_400_000;

describe('PaceEstimator', () => {
  it('reserves free times one after the other, behind the deliveries that wait already', () => {
    const pace = new PaceEstimator({ intervalMs: 100, completions: 16 }, dayMs);
    expect([pace.reserve(1000, 5), pace.reserve(1000, 5), pace.reserve(1000, 5)]).toEqual([500, 600, 700]);
  });

  it('follows the pace of the endpoint', () => {
    const pace = new PaceEstimator({ intervalMs: 1000, completions: 1 }, dayMs);
    for (let now = 0; now <= 20_000; now += 10) pace.completed(now, true);
    const first = pace.reserve(20_000, 0);
    expect(pace.reserve(20_000, 0) - first).toBe(10);
  });

  it('counts completions over a time, because requests that are sent at once end at once', () => {
    const pace = new PaceEstimator({ intervalMs: 31.25, completions: 16 }, dayMs);
    pace.busy(0);
    const intervals = [1, 2, 3, 4, 5, 6, 7, 8].map((second) => {
      for (let request = 0; request < 16; request += 1) pace.completed(second * 1000, true);
      const first = pace.reserve(second * 1000, 0);
      return pace.reserve(second * 1000, 0) - first;
    });
    expect(Math.min(...intervals.slice(2))).toBeGreaterThan(45);
    expect(Math.max(...intervals)).toBeLessThan(80);
  });

  it('does not count an idle time as slowness', () => {
    const pace = new PaceEstimator({ intervalMs: 10, completions: 16 }, dayMs);
    pace.completed(0, false);
    pace.completed(60_000, true);
    const first = pace.reserve(60_000, 0);
    expect(pace.reserve(60_000, 0) - first).toBe(10);
  });

  it('gives earlier free times once the endpoint is faster', () => {
    const pace = new PaceEstimator({ intervalMs: 1000, completions: 1 }, dayMs);
    for (let delivery = 0; delivery < 3600; delivery += 1) pace.reserve(0, 0);
    expect(pace.reserve(0, 0)).toBe(3_600_000);
    for (let now = 0; now <= 20_000; now += 10) pace.completed(now, true);
    expect(pace.reserve(20_000, 0)).toBeLessThan(40_000);
  });

  it('reserves no free time that comes too late for a delivery', () => {
    const pace = new PaceEstimator({ intervalMs: 1000, completions: 1 }, 3_600_000);
    for (let delivery = 0; delivery < 100_000; delivery += 1) pace.reserve(0, 0);
    expect(pace.reserve(0, 0)).toBeLessThanOrEqual(3_602_000);
    expect(pace.hasReservations(3_600_000)).toBe(true);
    expect(pace.hasReservations(3_602_000)).toBe(false);
  });

  it('serves fifty thousand at the pace of sixteen a second within the hour', () => {
    const pace = new PaceEstimator({ intervalMs: 62.5, completions: 16 }, dayMs);
    let last = 0;
    for (let delivery = 0; delivery < 50_000; delivery += 1) last = pace.reserve(0, 256);
    expect(last).toBeLessThanOrEqual(3_600_000);
  });
});
