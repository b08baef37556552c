import { describe, expect, it } from 'vitest';
import { tierDelayMs, tierTopic } from '../../src/settings/rules.ts';

describe('the topic of a tier', () => {
  it.each([
    [250, 'p.250ms'],
    [600_000, 'p.10m'],
    [86_400_000, 'p.24h'],
  ])('for %d ms is %s', (delayMs, topic) => {
    expect(tierTopic('p', delayMs)).toBe(topic);
    expect(tierDelayMs('p', topic)).toBe(delayMs);
  });

  it('is recognized even if its delay is not in the largest unit', () => {
    expect(tierDelayMs('p', 'p.600s')).toBe(600_000);
  });

  it.each(['p', 'p.', 'p.dead-letter', 'p10m', 'q.10m', 'p.x.10m'])('is never %s', (topic) => {
    expect(tierDelayMs('p', topic)).toBeUndefined();
  });
});
