import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/deliveries/slots.ts';

describe('Slots', () => {
  it('gives free times one behind the other, after those who wait already', () => {
    const slots = new Slots(100);
    expect([slots.next(1000, 5), slots.next(1000, 5), slots.next(1000, 5)]).toEqual([1500, 1600, 1700]);
  });

  it('follows the pace at which the endpoint takes them', () => {
    const slots = new Slots(1000);
    for (let now = 0; now <= 2000; now += 10) slots.completed(now, true);
    const first = slots.next(2000, 0);
    expect(slots.next(2000, 0) - first).toBe(10);
  });

  it('takes the first pace it measures for the guess it began with', () => {
    const slots = new Slots(1000);
    slots.completed(0, true);
    slots.completed(10, true);
    const first = slots.next(10, 0);
    expect(slots.next(10, 0) - first).toBe(10);
  });

  it('does not take a pause for slowness', () => {
    const slots = new Slots(10);
    slots.completed(0, false);
    slots.completed(60_000, true);
    const first = slots.next(60_000, 0);
    expect(slots.next(60_000, 0) - first).toBe(10);
  });

  it('serves fifty thousand at the pace of sixteen a second within the hour', () => {
    const slots = new Slots(62.5);
    let last = 0;
    for (let delivery = 0; delivery < 50_000; delivery += 1) last = slots.next(0, 256);
    expect(last).toBeLessThanOrEqual(3_600_000);
  });
});
