import { describe, expect, it } from 'vitest';
import { PaceEstimator } from '../../../src/deliveries/gates/pace-estimator.ts';

const dayMs = 86_400_000;

describe('Slots', () => {
  it('gives free times one behind the other, after those who wait already', () => {
    const slots = new PaceEstimator({ intervalMs: 100, completions: 16 }, dayMs);
    expect([slots.reserve(1000, 5), slots.reserve(1000, 5), slots.reserve(1000, 5)]).toEqual([1500, 1600, 1700]);
  });

  it('follows the pace at which the endpoint takes them', () => {
    const slots = new PaceEstimator({ intervalMs: 1000, completions: 1 }, dayMs);
    for (let now = 0; now <= 20_000; now += 10) slots.completed(now, true);
    const first = slots.reserve(20_000, 0);
    expect(slots.reserve(20_000, 0) - first).toBe(10);
  });

  it('counts how many come back in a time, not how far apart they do: requests that go out at once return at once', () => {
    const slots = new PaceEstimator({ intervalMs: 31.25, completions: 16 }, dayMs);
    slots.busy(0);
    const intervals = [1, 2, 3, 4, 5, 6, 7, 8].map((second) => {
      for (let request = 0; request < 16; request += 1) slots.completed(second * 1000, true);
      const first = slots.reserve(second * 1000, 0);
      return slots.reserve(second * 1000, 0) - first;
    });
    expect(Math.min(...intervals.slice(2))).toBeGreaterThan(45);
    expect(Math.max(...intervals)).toBeLessThan(80);
  });

  it('does not take a pause for slowness', () => {
    const slots = new PaceEstimator({ intervalMs: 10, completions: 16 }, dayMs);
    slots.completed(0, false);
    slots.completed(60_000, true);
    const first = slots.reserve(60_000, 0);
    expect(slots.reserve(60_000, 0) - first).toBe(10);
  });

  it('calls those who come earlier once the endpoint is faster', () => {
    const slots = new PaceEstimator({ intervalMs: 1000, completions: 1 }, dayMs);
    for (let delivery = 0; delivery < 3600; delivery += 1) slots.reserve(0, 0);
    expect(slots.reserve(0, 0)).toBe(3_600_000);
    for (let now = 0; now <= 20_000; now += 10) slots.completed(now, true);
    expect(slots.reserve(20_000, 0)).toBeLessThan(60_000);
  });

  it('counts no slot that comes too late for a delivery', () => {
    const slots = new PaceEstimator({ intervalMs: 1000, completions: 1 }, 3_600_000);
    for (let delivery = 0; delivery < 100_000; delivery += 1) slots.reserve(0, 0);
    expect(slots.reserve(0, 0)).toBeLessThanOrEqual(3_602_000);
    expect(slots.hasReservations(3_600_000)).toBe(true);
    expect(slots.hasReservations(3_602_000)).toBe(false);
  });

  it('serves fifty thousand at the pace of sixteen a second within the hour', () => {
    const slots = new PaceEstimator({ intervalMs: 62.5, completions: 16 }, dayMs);
    let last = 0;
    for (let delivery = 0; delivery < 50_000; delivery += 1) last = slots.reserve(0, 256);
    expect(last).toBeLessThanOrEqual(3_600_000);
  });
});
