import { describe, expect, it } from 'vitest';
import { HeldAmounts, type Amounts } from '../../src/backpressure/held-amounts.ts';
import type { FlowLimits } from '../../src/backpressure/limits.ts';

const limits: FlowLimits = {
  maxRecords: 1000,
  maxPending: 1000,
  maxDeliveries: 1000,
  maxBytes: 1000,
  maxSpan: 1000,
  window: 1000,
  sharedEqually: false,
};
const amounts = ['records', 'pending', 'deliveries', 'bytes'] as const satisfies readonly (keyof Amounts)[];

/** Lets one more partition hold as much as it may, one at a time. Returns how much that is. */
function fill(held: HeldAmounts, amount: keyof Amounts): number {
  let own = 0;
  for (; !held.isUsedUp(amount, own); own += 1) held.add({ [amount]: 1 });
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
    expect(held.isUsedUp(amount, 0)).toBe(false);
  });

  it('gives two partitions that grow together a third each', () => {
    const held = new HeldAmounts(limits);
    let own = 0;
    for (; !held.isUsedUp(amount, own); own += 1) held.add({ [amount]: 2 });
    expect(own).toBe(334);
  });

  it('stops a partition that holds nothing only when all of it is held', () => {
    const held = new HeldAmounts(limits);
    held.add({ [amount]: 999 });
    expect(held.isUsedUp(amount, 0)).toBe(false);
    expect(held.isUsedUp(amount, 1)).toBe(true);
    held.add({ [amount]: 1 });
    expect(held.isUsedUp(amount, 0)).toBe(true);
  });

  it('does not stop partitions that hold little of the others', () => {
    const held = new HeldAmounts(limits);
    held.add({ [amount]: 1000 });
    for (const other of amounts.filter((one) => one !== amount)) expect(held.isUsedUp(other, 499)).toBe(false);
  });
});

describe('equal shares', () => {
  const equal = { ...limits, sharedEqually: true };

  it.each(amounts)('divide the limit of %s among the partitions', (amount) => {
    const held = new HeldAmounts(equal);
    held.divideAmong(4);
    expect([1, 2, 3, 4].map(() => fill(held, amount))).toEqual([250, 250, 250, 250]);
  });

  it('are the whole limit while no partition is assigned', () => {
    const held = new HeldAmounts(equal);
    held.divideAmong(0);
    expect([held.isUsedUp('records', 999), held.isUsedUp('records', 1000)]).toEqual([false, true]);
  });

  it('end where earlier assignments hold the rest, but leave each partition one record', () => {
    const held = new HeldAmounts(equal);
    held.add({ records: 1000 });
    held.divideAmong(4);
    expect(held.isUsedUp('records', 1)).toBe(true);
    expect(held.isUsedUp('records', 0)).toBe(false);
  });
});
