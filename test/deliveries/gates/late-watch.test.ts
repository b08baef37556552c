import { describe, expect, it } from 'vitest';
import { LateWatch } from '../../../src/deliveries/gates/late-watch.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

/** Starts a watch of a second. Notes how late each delivery was found, in ms since the start. */
function start() {
  const clock = new ManualClock();
  const watch = new LateWatch(1000, clock);
  const startedAt = clock.monotonic();
  const found: string[] = [];
  const watchOne = (name: string, late: () => boolean = () => false) => {
    const state: { isGone: boolean; lateAt: number } = { isGone: false, lateAt: 0 };
    const watched = Object.assign(state, {
      late: () => {
        found.push(`${name} ${clock.monotonic() - startedAt}`);
        return late();
      },
    });
    watch.watch(watched, clock.monotonic());
    return watched;
  };
  return { clock, watch, watchOne, found };
}

describe('the watch', () => {
  it('finds each delivery that has not ended in time, once', async () => {
    const { clock, watchOne, found } = start();
    watchOne('a');
    await clock.advance(10);
    watchOne('b');
    watchOne('c');
    await clock.advance(989);
    expect(found).toEqual([]);
    await clock.advance(5000);
    expect(found).toEqual(['a 1000', 'b 1010', 'c 1010']);
  });

  it('does not find those that have ended before', async () => {
    const { clock, watchOne, found } = start();
    const [one, other] = [watchOne('a'), watchOne('b')];
    await clock.advance(999);
    one.isGone = true;
    await clock.advance(1);
    expect(found).toEqual(['b 1000']);
    other.isGone = true;
  });

  it('finds one again after the same time, for as long as it asks for it', async () => {
    const { clock, watchOne, found } = start();
    watchOne('a', () => found.length < 3);
    await clock.advance(10_000);
    expect(found).toEqual(['a 1000', 'a 2000', 'a 3000']);
  });

  it('has one timer, whatever it watches, and none when nothing is left', async () => {
    const { clock, watchOne } = start();
    for (let number = 0; number < 100; number += 1) watchOne('a');
    await clock.advance(500);
    for (let number = 0; number < 100; number += 1) watchOne('b');
    expect(clock.pending).toBe(1);
    await clock.advance(500);
    expect(clock.pending).toBe(1);
    await clock.advance(500);
    expect(clock.pending).toBe(0);
  });

  it('has a timer again for what comes after a pause', async () => {
    const { clock, watchOne, found } = start();
    watchOne('a');
    await clock.advance(5000);
    watchOne('b');
    await clock.advance(1000);
    expect(found).toEqual(['a 1000', 'b 6000']);
  });

  it('finds nothing once it is disposed', async () => {
    const { clock, watch, watchOne, found } = start();
    watchOne('a');
    watch[Symbol.dispose]();
    await clock.advance(5000);
    expect([found, clock.pending]).toEqual([[], 0]);
  });

  it('finds each in time, although an earlier one asked to be watched again', async () => {
    const { clock, watchOne, found } = start();
    let asked = false;
    watchOne('a', () => {
      const again = !asked;
      asked = true;
      return again;
    });
    await clock.advance(10);
    watchOne('b');
    await clock.advance(5000);
    expect(found).toEqual(['a 1000', 'b 1010', 'a 2000']);
  });
});
