import { describe, expect, it } from 'vitest';
import { HeldAmounts, type Amounts } from '../../src/flow/held-amounts.ts';
import type { FlowLimits } from '../../src/flow/limits.ts';
import { unlimited } from '../support/service/flow-control.ts';

const thousand = { maxRecords: 1000, maxPending: 1000, maxDeliveries: 1000, maxBytes: 1000, window: 1000 };
const limits: FlowLimits = { ...unlimited, ...thousand, shortHoldMs: 100 };
const amounts = ['records', 'pending', 'deliveries', 'bytes'] as const satisfies readonly (keyof Amounts)[];

/** Lets one more partition hold as much as it may, one at a time. Returns how much that is. */
function fill(held: HeldAmounts, amount: keyof Amounts, holdMs = 0): number {
  let own = 0;
  for (; !held.isUsedUp(amount, own, holdMs); own += 1) held.add({ [amount]: 1 });
  return own;
}

describe('what is held', () => {
  it('is the sum over all partitions', () => {
    const held = new HeldAmounts(limits);
    held.add({ records: 1, bytes: 300 });
    held.add({ deliveries: 2 });
    held.add({ records: 1, bytes: 20 });
    held.add({ records: -1, bytes: -300 });
    expect(held.held).toEqual({ records: 1, pending: 0, deliveries: 2, bytes: 20 });
  });
});

describe.each(amounts)('the limit of %s', (amount) => {
  it('leaves some for one more partition, however many have used up their share', () => {
    const held = new HeldAmounts(limits);
    expect([1, 2, 3, 4].map(() => fill(held, amount))).toEqual([500, 250, 125, 63]);
    expect(held.isUsedUp(amount, 0, 0)).toBe(false);
  });
});

describe('the window of a partition', () => {
  it.each([
    { partitions: 4, sharedEqually: false, window: 1000 },
    { partitions: 4, sharedEqually: true, window: 250 },
    { partitions: 3, sharedEqually: true, window: 333 },
    { partitions: 2000, sharedEqually: true, window: 1 },
  ])('is $window of 1000 with $partitions partitions, when equal shares are $sharedEqually', (row) => {
    const held = new HeldAmounts({ ...limits, sharedEqually: row.sharedEqually });
    held.divideAmong(row.partitions);
    expect(held.window).toBe(row.window);
  });
});

describe('equal shares', () => {
  const equal = { ...limits, sharedEqually: true };
  const [short, long] = [limits.shortHoldMs, limits.shortHoldMs + 1];

  it.each(amounts)('divide half of the limit of %s among the partitions', (amount) => {
    const held = new HeldAmounts(equal);
    held.divideAmong(4);
    expect([1, 2, 3, 4].map(() => fill(held, amount, long))).toEqual([125, 125, 125, 125]);
  });

  it.each(amounts)('leave the other half of %s to partitions whose records are not held for long', (amount) => {
    const held = new HeldAmounts(equal);
    held.divideAmong(10);
    expect([short, short, short, long].map((holdMs) => fill(held, amount, holdMs))).toEqual([250, 125, 63, 50]);
  });

  it('are half of the limit while no partition is assigned', () => {
    const held = new HeldAmounts(equal);
    held.divideAmong(0);
    expect([held.isUsedUp('records', 499, long), held.isUsedUp('records', 500, long)]).toEqual([false, true]);
  });
});
