import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/lib/deadlines.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

/** Starts deadlines of a second. Notes what expires, and when, in ms since the start. */
function start() {
  const clock = new ManualClock();
  const deadlines = new Deadlines(1000, clock);
  const expired: string[] = [];
  const add = (name: string, then: () => void = () => undefined) =>
    deadlines.add({
      expire: () => {
        expired.push(`${name} ${clock.monotonic()}`);
        then();
      },
    });
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
    for (const deadline of all.slice(index, index + 1)) deadlines.remove(deadline);
    await clock.advance(1000);
    expect(expired).toEqual(['a 1000', 'b 1000', 'c 1000'].filter((_, position) => position !== index));
  });

  it('keep no later item in memory by one that was removed', () => {
    const { deadlines, add } = start();
    const [first, second] = ['a', 'b', 'c'].map((name) => add(name));
    for (const deadline of [first, second]) if (deadline !== undefined) deadlines.remove(deadline);
    for (const deadline of [first, second]) expect(deadline).toMatchObject({ previous: undefined, next: undefined });
  });

  it('let an item be removed twice, and by its own expiry', async () => {
    const { clock, deadlines, expired, add } = start();
    const first = add('a', () => deadlines.remove(first));
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
    for (const deadline of all) deadlines.remove(deadline);
    expect(clock.pending).toBe(0);
    add('b');
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  });
});
