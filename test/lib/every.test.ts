import { describe, expect, it } from 'vitest';
import { sleep, every } from '../../src/lib/clock.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

describe('every', () => {
  it.each([
    { immediately: false, expected: [100, 230, 360] },
    { immediately: true, expected: [0, 130, 260, 390] },
  ])('leaves one interval between calls that take 30 ms, immediately: $immediately', async (example) => {
    const clock = new ManualClock(0);
    const stopping = new AbortController();
    const calledAt: number[] = [];
    const ended = every({ ms: 100, clock, signal: stopping.signal, immediately: example.immediately }, async () => {
      calledAt.push(clock.now());
      await sleep(clock, 30);
    });
    await clock.advance(410);
    stopping.abort();
    await clock.advance(30);
    expect(await ended).toBeUndefined();
    expect(calledAt).toEqual(example.expected);
    expect(clock.pending).toBe(0);
  });

  it('makes no call after an abort, the first one included', async () => {
    const clock = new ManualClock(0);
    const stopping = new AbortController();
    let calls = 0;
    const ended = every({ ms: 100, clock, signal: stopping.signal }, async () => {
      calls += 1;
    });
    stopping.abort();
    await ended;
    await every({ ms: 100, clock, signal: stopping.signal, immediately: true }, async () => {
      calls += 1;
    });
    expect([calls, clock.pending]).toEqual([0, 0]);
  });

  it('returns the first result', async () => {
    const clock = new ManualClock(0);
    const results = [undefined, 'changed'];
    const { signal } = new AbortController();
    const ended = every({ ms: 100, clock, signal }, () => Promise.resolve(results.shift()));
    await clock.advance(200);
    expect(await ended).toBe('changed');
  });

  it('rejects with what a call throws', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    const ended = every({ ms: 100, clock, signal, immediately: true }, () => Promise.reject(new Error('no answer')));
    await expect(ended).rejects.toThrow('no answer');
  });
});
