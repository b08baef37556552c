import { describe, expect, it } from 'vitest';
import type { Attempt } from './attempt.ts';
import { parseAttempt } from './attempt.ts';
import { countSettled, countDeliveries } from './delivery-counts.ts';

function attempted(deliveryId: string, attempt: number, settlement: string, configurationId = 'a'): Attempt {
  const ids = { configurationId, certificateId: 'certificate', deliveryId };
  return { event: 'delivery.attempted', ...ids, attempt, outcome: 'any', settlement };
}

const attempts = [
  attempted('one', 1, 'done'),
  attempted('two', 1, 'retry'),
  attempted('three', 1, 'retry'),
  attempted('other', 1, 'done', 'b'),
  attempted('two', 2, 'retry'),
  attempted('three', 2, 'done'),
  attempted('four', 4, 'dead'),
];

describe('the counts of a webhook', () => {
  it('follow from the latest attempt of each delivery', () => {
    expect(countDeliveries('a', attempts)).toEqual({ delivered: 2, waiting: 1, retries: 3, dead: 1 });
  });

  it('are zero before the first attempt', () => {
    expect(countDeliveries('c', attempts)).toEqual({ delivered: 0, waiting: 0, retries: 0, dead: 0 });
  });
});

it('counts delivered and dead-lettered deliveries as settled', () => {
  expect(countSettled(attempts)).toBe(4);
});

it('reads attempts from log lines and ignores other lines', () => {
  expect(parseAttempt({ ...attempts[0], level: 'info' })).toEqual(attempts[0]);
  expect(parseAttempt({ ...attempts[0], event: 'delivery.deferred' })).toBeUndefined();
  expect(parseAttempt('a line')).toBeUndefined();
});
