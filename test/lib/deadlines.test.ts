import { describe, expect, it } from 'vitest';
import { Deadlines, Expiring } from '../../src/lib/deadlines.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

class Item extends Expiring {
  readonly #then: (item: Item) => void;

  constructor(then: (item: Item) => void) {
    super();
    this.#then = then;
  }

  expire(): void {
    this.#then(this);
  }
}

/** Starts deadlines of a second. Notes what expires, and when, in ms since the start. */
function start() {
  const clock = new ManualClock();
  const deadlines = new Deadlines(1000, clock);
  const expired: string[] = [];
  const add = (name: string, then: (item: Item) => void = () => undefined): Item => {
    const item = new Item((one) => {
      expired.push(`${name} ${clock.monotonic()}`);
      then(one);
    });
    deadlines.add(item);
    return item;
  };
  return { clock, deadlines, expired, add };
}

describe('deadlines', () => {
  it('expire each item at its own time, once', async () => {
    const { clock, expired, add } = start();
    add('a');
    await clock.advance(10);
    add('b');
    add('c');
    await clock.advance(989);
    expect(expired).toEqual([]);
    await clock.advance(5000);
    expect(expired).toEqual(['a 1000', 'b 1010', 'c 1010']);
  });

  it.each([0, 1, 2])('do not expire an item that was removed, wherever it stands: %d', async (index) => {
    const { clock, deadlines, expired, add } = start();
    const all = ['a', 'b', 'c'].map((name) => add(name));
    for (const item of all.slice(index, index + 1)) deadlines.remove(item);
    await clock.advance(1000);
    expect(expired).toEqual(['a 1000', 'b 1000', 'c 1000'].filter((_, position) => position !== index));
  });

  it('keep no later item in memory by one that was removed', () => {
    const { deadlines, add } = start();
    const items = ['a', 'b', 'c'].map((name) => add(name)).slice(0, 2);
    for (const item of items) deadlines.remove(item);
    for (const item of items) expect(item).toMatchObject({ previous: undefined, next: undefined });
  });

  it('let an item be removed twice, and by its own expiry', async () => {
    const { clock, deadlines, expired, add } = start();
    add('a', (item) => deadlines.remove(item));
    const second = add('b');
    deadlines.remove(second);
    deadlines.remove(second);
    add('c');
    await clock.advance(1000);
    expect(expired).toEqual(['a 1000', 'c 1000']);
  });

  it('expire each item at its own time although one that expires adds another', async () => {
    const { clock, expired, add } = start();
    add('a', () => void add('c'));
    await clock.advance(10);
    add('b');
    await clock.advance(5000);
    expect(expired).toEqual(['a 1000', 'b 1010', 'c 2000']);
    expect(clock.pending).toBe(0);
  });

  it('expire an item again after the same time, for as long as it is added again', async () => {
    const { clock, deadlines, expired, add } = start();
    add('a', (item) => {
      if (expired.length < 4) deadlines.add(item);
    });
    await clock.advance(10);
    add('b');
    await clock.advance(10_000);
    expect(expired).toEqual(['a 1000', 'b 1010', 'a 2000', 'a 3000']);
  });

  it('have one timer after the only item has expired and added another', async () => {
    const { clock, expired, add } = start();
    add('a', () => void add('b'));
    await clock.advance(1000);
    expect(clock.pending).toBe(1);
    await clock.advance(1000);
    expect(expired).toEqual(['a 1000', 'b 2000']);
  });

  it('have one timer, and none when nothing is left', async () => {
    const { clock, deadlines, add } = start();
    const all = Array.from({ length: 100 }, () => add('a'));
    expect(clock.pending).toBe(1);
    for (const item of all) deadlines.remove(item);
    expect(clock.pending).toBe(0);
    add('b');
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  });

  it('have a timer again for what comes after a pause', async () => {
    const { clock, expired, add } = start();
    add('a');
    await clock.advance(5000);
    add('b');
    await clock.advance(1000);
    expect(expired).toEqual(['a 1000', 'b 6000']);
  });

  it('expire nothing once they are disposed', async () => {
    const { clock, deadlines, expired, add } = start();
    add('a');
    deadlines[Symbol.dispose]();
    await clock.advance(5000);
    expect([expired, clock.pending]).toEqual([[], 0]);
  });
});
