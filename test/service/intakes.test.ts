import { expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { createLimits, type Workload } from '../../src/service/intakes.ts';
import { defaultSettings } from '../support/service/default-settings.ts';

const allRooms = 5000;

/** A process whose event loop has time, of which nobody wants anything. */
const atRest = { isSaturated: false, waiting: 0, waitingForHealthy: 0, expected: 0, free: allRooms, size: allRooms };

/** Each value is of the pool of first attempts. */
function workOf(state: Partial<typeof atRest>): Workload {
  const { isSaturated, waiting, waitingForHealthy, expected, free, size } = { ...atRest, ...state };
  const ofFirst =
    <T>(value: T) =>
    (pool: Pool): T => {
      expect(pool).toBe('first');
      return value;
    };
  const gates = { waiting: ofFirst(waiting), waitingForHealthy: ofFirst(waitingForHealthy), room: ofFirst({ free, size }) };
  return { pipeline: { expected }, gates, eventLoop: { isSaturated } };
}

it.each([
  { when: 'half a room waits while the event loop has no time', isSaturated: true, waiting: 128, is: true },
  { when: 'half a room waits and the event loop has time', waiting: 128, is: false },
  { when: 'less than half a room waits', isSaturated: true, waiting: 127, is: false },
  { when: 'half a room is expected', isSaturated: true, waiting: 100, expected: 28, is: true },
  { when: 'two rooms wait for those who answer', waiting: 512, waitingForHealthy: 512, is: true },
  { when: 'some of two rooms are only expected', waiting: 500, waitingForHealthy: 500, expected: 12, is: true },
  { when: 'they wait for others', waiting: 600, waitingForHealthy: 511, is: false },
  { when: 'all rooms hold little', waiting: 25, waitingForHealthy: 25, free: 75, size: 100, is: true },
])('an intake is behind: $is, when $when', ({ is, ...state }) => {
  expect(createLimits(defaultSettings(), 'first', workOf(state)).isBehind).toBe(is);
});

it('an intake of retries is never behind', () => {
  const work = workOf({ isSaturated: true, waiting: 5000, waitingForHealthy: 5000, free: 0 });
  expect(createLimits(defaultSettings(), 'retry', work).isBehind).toBe(false);
});

it('an intake of retries takes in fewer of a partition at a time than one of certificates', () => {
  const [first, retry] = (['first', 'retry'] as const).map((pool) => createLimits(defaultSettings(), pool));
  for (const limits of [first, retry]) limits?.divideAmong(100);
  expect([first?.atATime, retry?.atATime]).toEqual([32, 8]);
});

it.each([
  { waitingForHealthy: 512, most: 32 },
  { waitingForHealthy: 1024, most: 16 },
  { waitingForHealthy: 3000, free: 2000, most: 6 },
  { waitingForHealthy: 3000, free: 999, most: 1 },
  { waitingForHealthy: 3000, free: 1009, expected: 10, most: 1 },
  { waitingForHealthy: 500, free: 0, most: undefined },
])('an intake takes in $most of a partition at a time while $waitingForHealthy wait for those who answer', (state) => {
  const limits = createLimits(defaultSettings(), 'first', workOf({ waiting: 1024, ...state }));
  limits.divideAmong(100);
  const counts = Array.from({ length: 100 }, (_, recent) => recent);
  const most = counts.find((recent) => limits.isFull({ records: 0, bytes: 0, span: 0, recent }));
  expect(most).toBe(state.most);
});
