import { describe, expect, it } from 'vitest';
import { FairWindow, type OwnerQueue } from '../../src/backpressure/fair-window.ts';
import { HeldAmounts } from '../../src/backpressure/held-amounts.ts';
import { unlimited } from '../support/service/flow-control.ts';
import { countReachable } from '../support/resources/memory.ts';
import { aStartedDelivery } from '../support/service/record-context.ts';
import { ScriptedCursor } from './scripted-cursor.ts';

interface Started {
  readonly ownerId: string;
  readonly queue: OwnerQueue;
}

/** Builds a window, and starts deliveries that are active until the test ends them. */
function aWindow(size: number) {
  const window = new FairWindow(size, new HeldAmounts(unlimited));
  const active: Started[] = [];
  const startOne = (): boolean =>
    window.startNext((cursor, queue) => {
      cursor.startNext(aStartedDelivery());
      window.countActive(queue, 1);
      active.push({ ownerId: cursor.ownerId, queue });
    });
  return {
    window,
    add: (ownerId: string, deliveries: number): ScriptedCursor => {
      const cursor = new ScriptedCursor(deliveries, { ownerId });
      window.add(cursor);
      return cursor;
    },
    /** Starts what may start. Returns the owners in order. */
    start: (): string => {
      const before = active.length;
      while (startOne());
      return active
        .slice(before)
        .map(({ ownerId }) => ownerId)
        .join('');
    },
    /** Ends the first active delivery of the owner. */
    end: (ownerId: string): void => {
      const index = active.findIndex((delivery) => delivery.ownerId === ownerId);
      for (const { queue } of active.splice(index, 1)) window.countActive(queue, -1);
    },
    queueOf: (ownerId: string) => active.find((delivery) => delivery.ownerId === ownerId)?.queue,
  };
}

describe('the window of a partition', () => {
  it('gives an owner alone a half', () => {
    const { add, start } = aWindow(8);
    add('a', 100);
    expect(start()).toBe('aaaa');
  });

  it('gives two owners a third each, in turn', () => {
    const { add, start } = aWindow(9);
    add('a', 100);
    add('b', 100);
    expect(start()).toBe('ababab');
  });

  it('leaves a place for one more owner, however much the others have to do', () => {
    const { add, start } = aWindow(16);
    for (const owner of ['a', 'b', 'c']) {
      add(owner, 100);
      expect(start().length).toBeGreaterThan(0);
    }
    add('d', 1);
    expect(start()).toBe('d');
  });

  it('lets each owner start one delivery in turn', () => {
    const { add, start } = aWindow(100);
    add('a', 3);
    add('b', 1);
    add('c', 2);
    expect(start()).toBe('abcaca');
  });

  it('starts the records of an owner in order, each to its end', () => {
    const { add, start, end } = aWindow(6);
    const [one, other] = [add('a', 4), add('a', 2)];
    start();
    expect([one.started.length, other.started.length]).toEqual([3, 0]);
    end('a');
    start();
    end('a');
    start();
    expect([one.started.length, other.started.length]).toEqual([4, 1]);
  });

  it('passes over an owner with a delivery outside a waiting room', () => {
    const { window, add, start, queueOf } = aWindow(100);
    add('a', 1);
    start();
    const queue = queueOf('a');
    if (queue !== undefined) window.countOutsideRoom(queue, 1);
    add('a', 2);
    add('b', 2);
    expect([start(), window.pendingRecords, window.outsideRooms]).toEqual(['bb', 1, 1]);
    if (queue !== undefined) window.countOutsideRoom(queue, -1);
    expect([start(), window.pendingRecords, window.outsideRooms]).toEqual(['aa', 0, 0]);
  });

  it('starts nothing for an owner without records', () => {
    const { add, start, window } = aWindow(100);
    add('a', 1);
    start();
    expect([start(), window.pendingRecords]).toEqual(['', 0]);
    add('a', 1);
    expect(start()).toBe('a');
  });

  it('counts what an owner has active when it comes again', () => {
    const { add, start, end } = aWindow(8);
    add('a', 4);
    expect(start()).toBe('aaaa');
    add('a', 4);
    expect(start()).toBe('');
    for (let count = 0; count < 4; count += 1) end('a');
    expect(start()).toBe('aaaa');
  });

  it('counts the records with deliveries that are not started', () => {
    const { window, add, start, end } = aWindow(6);
    for (const deliveries of [4, 1, 1]) add('a', deliveries);
    const pending = [window.pendingRecords];
    for (let round = 0; round < 4; round += 1) {
      start();
      pending.push(window.pendingRecords);
      end('a');
    }
    expect(pending).toEqual([3, 3, 2, 1, 0]);
  });

  it('keeps nothing of owners whose deliveries have ended or wait', async () => {
    const { window, add, start, end, queueOf } = aWindow(1_000_000);
    const queues: WeakRef<object>[] = [];
    const waits = (ownerId: string): void => {
      add(ownerId, 1);
      window.startNext((cursor, queue) => {
        cursor.startNext(aStartedDelivery());
        window.countActive(queue, 1);
        window.countActive(queue, -1);
        queues.push(new WeakRef(queue));
      });
    };
    const ends = (ownerId: string): void => {
      add(ownerId, 1);
      start();
      const queue = queueOf(ownerId);
      if (queue !== undefined) queues.push(new WeakRef(queue));
      end(ownerId);
    };
    for (let owner = 0; owner < 100; owner += 1) {
      waits(`waits ${owner}`);
      ends(`ends ${owner}`);
    }
    expect(queues).toHaveLength(200);
    // The variables of this test may keep the last one.
    expect(await countReachable(queues)).toBeLessThanOrEqual(1);
  });
});

describe('the records that are removed', () => {
  it('are those that have not begun, and the others go on', () => {
    const { window, add, start, end } = aWindow(6);
    const cursors = [add('a', 3), add('a', 3), add('b', 3)];
    expect(start()).toBe('abab');
    expect(window.removeCursors('not begun')).toEqual([cursors[1]]);
    for (let count = 0; count < 2; count += 1) {
      end('a');
      end('b');
    }
    expect([start(), window.pendingRecords]).toEqual(['ab', 0]);
  });

  it('may be all, and later ones start', () => {
    const { window, add, start } = aWindow(6);
    const cursors = [add('a', 3), add('a', 3), add('b', 3)];
    start();
    expect(new Set(window.removeCursors('all'))).toEqual(new Set(cursors));
    expect([start(), window.pendingRecords]).toEqual(['', 0]);
    add('c', 1);
    expect(start()).toBe('c');
  });
});
