import { describe, expect, it } from 'vitest';
import { isIdle } from './idle.ts';

const done = { completed: { written: 10, lag: 0 }, tier: { written: 4, lag: 0 } };

describe('the system', () => {
  it('is idle if two readings find everything committed and nothing written in between', () => {
    expect(isIdle(done, done)).toBe(true);
  });

  it.each([
    ['is read for the first time', {}, done],
    ['had not committed everything in the first reading', { ...done, tier: { written: 4, lag: 1 } }, done],
    ['has not committed everything in the second reading', done, { ...done, tier: { written: 4, lag: 1 } }],
    ['had a delivery on its way between two topics', done, { ...done, tier: { written: 5, lag: 0 } }],
  ])('is not idle if it %s', (_, before, now) => {
    expect(isIdle(before, now)).toBe(false);
  });
});
