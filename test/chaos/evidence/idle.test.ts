import { describe, expect, it } from 'vitest';
import { isAtRest } from './idle.ts';

const done = { completed: { written: 10, lag: 0 }, tier: { written: 4, lag: 0 } };

describe('a platform', () => {
  it('is at rest when all was committed twice, and nothing was written in between', () => {
    expect(isAtRest(done, done)).toBe(true);
  });

  it.each([
    ['is looked at for the first time', {}, done],
    ['has committed the last only now', { ...done, tier: { written: 4, lag: 1 } }, done],
    ['has yet to commit', done, { ...done, tier: { written: 4, lag: 1 } }],
    ['hid a delivery on its way from one topic to the other', done, { ...done, tier: { written: 5, lag: 0 } }],
  ])('is not when it %s', (_, before, now) => {
    expect(isAtRest(before, now)).toBe(false);
  });
});
