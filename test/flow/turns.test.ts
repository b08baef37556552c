import { describe, expect, it } from 'vitest';
import { StartTurns, type Starter } from '../../src/flow/turns.ts';
import { TurnClock } from './support/turn-clock.ts';

/** Builds turns of four starts, and starters that write their name for each start. */
function create() {
  const clock = new TurnClock();
  const turns = new StartTurns(4, clock);
  const started: string[] = [];
  const starter = (name: string, count: number): Starter & { left: number } => ({
    left: count,
    startNext() {
      if (this.left === 0) return false;
      this.left -= 1;
      started.push(name);
      return true;
    },
  });
  return { clock, turns, starter, started: () => started.splice(0).join('') };
}

describe('the starts of one turn', () => {
  it('happen at once while some are left', () => {
    const { turns, starter, started } = create();
    turns.start(starter('a', 1));
    turns.start(starter('b', 3));
    expect(started()).toBe('abbb');
  });

  it('are limited over all starters together, and over all calls', () => {
    const { clock, turns, starter, started } = create();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) turns.start(starter(name, 1));
    expect(started()).toBe('abcd');
    clock.turn();
    expect(started()).toBe('ef');
    turns.start(starter('g', 9));
    expect(started()).toBe('gg');
  });

  it('go to the starters in turn', () => {
    const { clock, turns, starter, started } = create();
    turns.start(starter('a', 100));
    turns.start(starter('b', 1));
    turns.start(starter('c', 2));
    expect(started()).toBe('aaaa');
    clock.turn();
    expect(started()).toBe('abca');
    clock.turn();
    expect(started()).toBe('caaa');
  });
});

describe('a starter', () => {
  it('that can not start is asked again only when it calls', () => {
    const { clock, turns, starter, started } = create();
    const blocked = starter('a', 0);
    turns.start(blocked);
    blocked.left = 1;
    clock.turnUntilIdle();
    expect(started()).toBe('');
    turns.start(blocked);
    expect(started()).toBe('a');
  });

  it('that calls during its own start is started again, and not within that start', () => {
    const { clock, turns, started } = create();
    const depths: number[] = [];
    let depth = 0;
    const nested: Starter = {
      startNext: () => {
        if (depths.length === 6) return false;
        depth += 1;
        turns.start(nested);
        depths.push(depth);
        depth -= 1;
        return true;
      },
    };
    turns.start(nested);
    clock.turnUntilIdle();
    expect(depths).toEqual([1, 1, 1, 1, 1, 1]);
    expect(started()).toBe('');
  });

  it('that calls for another during its start leaves the order as it is', () => {
    const { clock, turns, starter, started } = create();
    const other = starter('b', 2);
    const one = starter('a', 2);
    turns.start({
      startNext: () => {
        turns.start(one);
        turns.start(other);
        return false;
      },
    });
    turns.start(starter('c', 1));
    clock.turnUntilIdle();
    expect(started()).toBe('abcab');
  });
});

describe('what follows the next starts', () => {
  it('runs once, in the next turn, after the starts of that turn', () => {
    const { clock, turns, starter, started } = create();
    const seen: string[] = [];
    turns.start(starter('a', 6));
    turns.afterNextStarts(() => seen.push(started()));
    expect(seen).toEqual([]);
    clock.turnUntilIdle();
    expect(seen).toEqual(['aaaaaa']);
  });

  it('may ask for the turn after, and does not run twice in one', () => {
    const { clock, turns } = create();
    let runs = 0;
    const run = (): void => {
      runs += 1;
      turns.afterNextStarts(run);
    };
    turns.afterNextStarts(run);
    for (let turn = 1; turn <= 3; turn += 1) {
      clock.turn();
      expect(runs).toBe(turn);
    }
  });
});
