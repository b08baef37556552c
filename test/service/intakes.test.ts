import { expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { createLimits } from '../../src/service/intakes.ts';
import { defaultSettings } from '../support/settings.ts';

it.each<{
  readonly when: string;
  readonly pool: Pool;
  readonly busy: boolean;
  readonly waiting: number;
  readonly waitingForWell?: number;
  readonly is: boolean;
}>([
  { when: 'half a room waits while the event loop has no time', pool: 'first', busy: true, waiting: 128, is: true },
  { when: 'the event loop has time', pool: 'first', busy: false, waiting: 128, is: false },
  { when: 'less than half a room waits', pool: 'first', busy: true, waiting: 127, is: false },
  {
    when: 'two rooms wait for those who answer',
    pool: 'first',
    busy: false,
    waiting: 512,
    waitingForWell: 512,
    is: true,
  },
  { when: 'they wait for others', pool: 'first', busy: false, waiting: 600, waitingForWell: 511, is: false },
  { when: 'it is retries that wait', pool: 'retry', busy: true, waiting: 128, is: false },
])('an intake is behind: $is, when $when', ({ pool, busy, waiting, waitingForWell = 0, is }) => {
  const asked: Pool[] = [];
  const limits = createLimits(defaultSettings(), pool, {
    eventLoop: { isSaturated: busy },
    gates: {
      waiting: (which) => {
        asked.push(which);
        return waiting;
      },
      waitingForWell: (which) => {
        asked.push(which);
        return waitingForWell;
      },
    },
  });
  expect(limits.isBehind).toBe(is);
  expect(asked.filter((which) => which !== 'first')).toEqual([]);
});

it.each([
  { waitingForWell: 512, most: 32 },
  { waitingForWell: 1024, most: 16 },
])('an intake takes in $most of a partition at a time while $waitingForWell wait for those who answer', (waits) => {
  const gates = { waiting: () => 1024, waitingForWell: () => waits.waitingForWell };
  const limits = createLimits(defaultSettings(), 'first', { eventLoop: { isSaturated: false }, gates });
  limits.divideAmong(100);
  const held = { records: 0, bytes: 0, span: 0 };
  expect(limits.isFull({ ...held, recent: waits.most - 1 })).toBe(false);
  expect(limits.isFull({ ...held, recent: waits.most })).toBe(true);
});
