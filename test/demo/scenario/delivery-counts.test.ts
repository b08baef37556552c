import { describe, expect, it } from 'vitest';
import type { Attempt } from './attempt.ts';
import { attemptOf } from './attempt.ts';
import { settledIn, standingOf } from './delivery-counts.ts';

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

describe('the standing of a webhook', () => {
  it('goes by the latest attempt of each of its deliveries', () => {
    expect(standingOf('a', attempts)).toEqual({ delivered: 2, waiting: 1, retries: 3, dead: 1 });
  });

  it('is nothing before its first attempt', () => {
    expect(standingOf('c', attempts)).toEqual({ delivered: 0, waiting: 0, retries: 0, dead: 0 });
  });
});

it('counts deliveries as settled that are delivered or dead', () => {
  expect(settledIn(attempts)).toBe(4);
});

it('reads attempts from lines of the log, and nothing else', () => {
  expect(attemptOf({ ...attempts[0], level: 'info' })).toEqual(attempts[0]);
  expect(attemptOf({ ...attempts[0], event: 'delivery.deferred' })).toBeUndefined();
  expect(attemptOf('a line')).toBeUndefined();
});
