import { expect, it } from 'vitest';
import { FairWindow } from '../../src/flow/window.ts';
import type { OwnerPart } from '../../src/flow/delivery-run.ts';
import { HeldAmounts } from '../../src/flow/held-amounts.ts';
import { unlimited } from '../support/service/flow-control.ts';
import { countReachable } from '../support/resources/memory.ts';
import { ScriptedCursor } from './support/scripted-cursor.ts';

/** Tells of the owner that each delivery counts for. */
class NotingCursor extends ScriptedCursor {
  onOwner: (owner: OwnerPart) => void = () => undefined;

  override startNext(owner: OwnerPart): void {
    this.onOwner(owner);
    super.startNext(owner);
  }
}

function aWindow(size: number): FairWindow {
  const limits = { ...unlimited, window: size };
  const amounts = new HeldAmounts(limits);
  return new FairWindow({ amounts, occupation: limits.occupation, released: () => undefined, deliveries: 0 });
}

it('a window lets each owner start one delivery in turn', () => {
  const window = aWindow(100);
  const order: string[] = [];
  for (const [ownerId, deliveries] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
  ] as const)
    window.add(new ScriptedCursor(deliveries, { ownerId, onStart: () => order.push(ownerId) }));
  while (window.startNext());
  expect(order.join('')).toBe('abcaca');
});

it('a window keeps nothing of owners whose deliveries have ended', async () => {
  const window = aWindow(1_000_000);
  const queues: WeakRef<object>[] = [];
  for (let owner = 0; owner < 200; owner += 1) {
    const cursor = new NotingCursor(1, { ownerId: `ends ${owner}`, onStart: (one) => owner % 2 === 0 && one.end() });
    cursor.onOwner = (part) => queues.push(new WeakRef(part));
    window.add(cursor);
    // Half of them end while they start.
    window.startNext();
    if (owner % 2 === 1) cursor.started[0]?.end();
  }
  expect(queues).toHaveLength(200);
  // The variables of this test may keep the last one.
  expect(await countReachable(queues)).toBeLessThanOrEqual(1);
});
