import { expect, it } from 'vitest';
import { FairWindow, type OwnerQueue } from '../../src/flow/window.ts';
import { HeldAmounts } from '../../src/flow/held-amounts.ts';
import { unlimited } from '../support/service/flow-control.ts';
import { countReachable } from '../support/resources/memory.ts';
import { aStartedDelivery } from '../support/service/record-context.ts';
import { ScriptedCursor } from './support/scripted-cursor.ts';

/** Starts the next delivery of a window, which is active then. Returns its owner. */
function startNext(window: FairWindow, onStart: (queue: OwnerQueue) => void = () => undefined): string {
  let owner = '';
  window.startNext((cursor, queue) => {
    cursor.startNext(aStartedDelivery());
    window.countActive(queue, 1);
    owner = cursor.ownerId;
    onStart(queue);
  });
  return owner;
}

it('a window lets each owner start one delivery in turn', () => {
  const window = new FairWindow(100, new HeldAmounts(unlimited));
  for (const [ownerId, deliveries] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
  ] as const)
    window.add(new ScriptedCursor(deliveries, { ownerId }));
  expect(Array.from({ length: 7 }, () => startNext(window)).join('')).toBe('abcaca');
});

it('a window keeps nothing of owners whose deliveries have ended', async () => {
  const window = new FairWindow(1_000_000, new HeldAmounts(unlimited));
  const queues: WeakRef<object>[] = [];
  for (let owner = 0; owner < 200; owner += 1) {
    window.add(new ScriptedCursor(1, { ownerId: `ends ${owner}` }));
    // Half of them end while they start.
    const ended: OwnerQueue[] = [];
    startNext(window, (queue) => {
      queues.push(new WeakRef(queue));
      if (owner % 2 === 0) window.countActive(queue, -1);
      else ended.push(queue);
    });
    for (const queue of ended) window.countActive(queue, -1);
  }
  expect(queues).toHaveLength(200);
  // The variables of this test may keep the last one.
  expect(await countReachable(queues)).toBeLessThanOrEqual(1);
});
