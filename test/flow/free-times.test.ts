import { describe, expect, it } from 'vitest';
import { release, startGates, success } from './support/gates-under-test.ts';

const seconds = 1000;

describe('an endpoint with more waiting than it takes', () => {
  it('is paced as soon as one waits that can not be sent within a second, and so are those before it', async () => {
    using test = startGates();
    test.limit('a', { perMinute: 120 });
    await test.clock.advance(2 * seconds);
    const calls = Array.from({ length: 4 }, (): string[] => []);
    const healths = calls.map((of) => {
      void test.acquire('a', { calls: of });
      return test.health('a');
    });
    // One is sent, and the next two within a second.
    expect(healths).toEqual(['healthy', 'healthy', 'healthy', 'paced']);
    expect(calls.map((of) => of.includes('leaves the window'))).toEqual([false, true, true, true]);
  });

  it('gives those whose longest wait is over the next free times, one after the other', async () => {
    using test = startGates({ maxWaitMs: 15 * seconds });
    test.limit('a', { inFlight: 1 });
    const [, ...waiting] = Array.from({ length: 31 }, () => test.acquire('a'));
    await test.clock.advance(15 * seconds);
    const refused = await Promise.all(waiting.map(async (entry) => entry));
    const times = refused.map((entry) => 'outcome' in entry && 'freeInMs' in entry.outcome && entry.outcome.freeInMs);
    // The endpoint hangs. Its guessed pace is 500 ms, and a delivery that was rejected before is due 3/4 of it early.
    expect(times).toEqual(Array.from({ length: 30 }, (_, index) => 125 + index * 500));
  });

  it('has the pace of its answers, which take the time from their requests', async () => {
    using test = startGates({ maxWaitMs: 15 * seconds });
    test.limit('a', { inFlight: 1 });
    await test.clock.advance(10 * seconds);
    const [first, , third] = Array.from({ length: 3 }, () => test.acquire('a'));
    const answered = await first;
    await test.clock.advance(100);
    release(answered, success);
    await test.clock.advance(15 * seconds);
    expect(await third).toMatchObject({ outcome: { kind: 'overloaded', freeInMs: 25 } });
  });
});
