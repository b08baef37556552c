import { expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { createLimits, type Workload } from '../../src/service/intakes.ts';
import { defaultSettings } from '../support/service/default-settings.ts';

const allRooms = 5000;

/** The workload of an idle process. */
const idle = { isSaturated: false, waiting: 0, waitingForHealthy: 0, expected: 0, free: allRooms, size: allRooms };

/** Returns a workload with this state of the pool of first attempts. */
function workloadOf(state: Partial<typeof idle>): Workload {
  const { isSaturated, waiting, waitingForHealthy, expected, free, size } = { ...idle, ...state };
  const ofFirst =
    <T>(value: T) =>
    (pool: Pool): T => {
      expect(pool).toBe('first');
      return value;
    };
  const gates = {
    waiting: ofFirst(waiting),
    waitingForHealthy: ofFirst(waitingForHealthy),
    room: ofFirst({ free, size }),
  };
  return { pipeline: { expected }, gates, eventLoop: { isSaturated } };
}

it.each([
  { when: 'half a room waits while the event loop is saturated', isSaturated: true, waiting: 128, is: true },
  { when: 'half a room waits and the event loop is not saturated', waiting: 128, is: false },
  { when: 'less than half a room waits', isSaturated: true, waiting: 127, is: false },
  { when: 'half a room is expected', isSaturated: true, waiting: 100, expected: 28, is: true },
  { when: 'two rooms wait for healthy endpoints', waiting: 512, waitingForHealthy: 512, is: true },
  {
    when: 'two rooms wait for healthy endpoints or are expected',
    waiting: 500,
    waitingForHealthy: 500,
    expected: 12,
    is: true,
  },
  { when: 'some of the waiting deliveries are for suspect endpoints', waiting: 600, waitingForHealthy: 511, is: false },
  {
    when: 'the waiting places of all rooms are few',
    waiting: 25,
    waitingForHealthy: 25,
    free: 75,
    size: 100,
    is: true,
  },
])('the intake of certificates is behind: $is, when $when', ({ is, ...state }) => {
  expect(createLimits(defaultSettings(), 'first', workloadOf(state)).isBehind).toBe(is);
});

it('the intake of retries is never behind', () => {
  const workload = workloadOf({ isSaturated: true, waiting: 5000, waitingForHealthy: 5000, free: 0 });
  expect(createLimits(defaultSettings(), 'retry', workload).isBehind).toBe(false);
});

it('the intake of retries admits fewer records of a partition at a time than that of certificates', () => {
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
])(
  'admits $most certificates of a partition at a time while $waitingForHealthy deliveries wait for healthy endpoints',
  (state) => {
    const limits = createLimits(defaultSettings(), 'first', workloadOf({ waiting: 1024, ...state }));
    limits.divideAmong(100);
    const counts = Array.from({ length: 100 }, (_, recent) => recent);
    const most = counts.find((recent) => limits.isFull({ records: 0, bytes: 0, span: 0, recent }));
    expect(most).toBe(state.most);
  },
);
