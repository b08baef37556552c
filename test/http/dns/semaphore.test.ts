import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Semaphore } from '../../../src/http/dns/semaphore.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

it('gives a limited number of permits, first come, first served', async () => {
  const clock = new ManualClock();
  const semaphore = new Semaphore({ limit: 2, longestMs: 100, clock });
  const events: string[] = [];
  const finish = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const holders = finish.map(async ({ promise }, index) => {
    using _permit = await semaphore.acquire();
    events.push(`${index} acquired`);
    await promise;
    events.push(`${index} released`);
  });
  await setImmediate();
  expect(events).toEqual(['0 acquired', '1 acquired']);
  finish[1]?.resolve();
  await setImmediate();
  expect(events.slice(2)).toEqual(['1 released', '2 acquired']);
  for (const { resolve } of finish) resolve();
  await Promise.all(holders);
  expect(events).toHaveLength(8);
  expect(clock.pending).toBe(0);
});

it('releases a permit that is held too long, and releases it once', async () => {
  const clock = new ManualClock();
  const semaphore = new Semaphore({ limit: 1, longestMs: 100, clock });
  const events: string[] = [];
  const longest = await semaphore.acquire();
  const holders = ['second', 'third'].map(async (name) => {
    const permit = await semaphore.acquire();
    events.push(name);
    return permit;
  });
  await clock.advance(99);
  expect(events).toEqual([]);
  await clock.advance(1);
  expect(events).toEqual(['second']);
  longest[Symbol.dispose]();
  await clock.advance(99);
  expect(events).toEqual(['second']);
  await clock.advance(1);
  expect(events).toEqual(['second', 'third']);
  for (const permit of await Promise.all(holders)) permit[Symbol.dispose]();
});
