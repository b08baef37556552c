import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Semaphore } from '../../../../src/deliveries/http/dns/semaphore.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';

it('lets a limited number in at once, first come, first served', async () => {
  const clock = new ManualClock();
  const turns = new Semaphore({ limit: 2, longestMs: 100, clock });
  const events: string[] = [];
  const leave = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const visits = leave.map(async ({ promise }, index) => {
    using _turn = await turns.acquire();
    events.push(`${index} in`);
    await promise;
    events.push(`${index} out`);
  });
  await setImmediate();
  expect(events).toEqual(['0 in', '1 in']);
  leave[1]?.resolve();
  await setImmediate();
  expect(events.slice(2)).toEqual(['1 out', '2 in']);
  for (const { resolve } of leave) resolve();
  await Promise.all(visits);
  expect(events).toHaveLength(8);
  expect(clock.pending).toBe(0);
});

it('ends the turn of one who stays too long, and ends it once', async () => {
  const clock = new ManualClock();
  const turns = new Semaphore({ limit: 1, longestMs: 100, clock });
  const events: string[] = [];
  const longest = await turns.acquire();
  const visits = ['second', 'third'].map(async (name) => {
    const turn = await turns.acquire();
    events.push(name);
    return turn;
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
  for (const turn of await Promise.all(visits)) turn[Symbol.dispose]();
});
