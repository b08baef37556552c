import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogSampler } from '../../../src/telemetry/events/log-sampler.ts';

it('lets the first of each kind through, and again once the interval is over, with the number held back', () => {
  const repeats = new LogSampler(30);
  expect(repeats.sample('one', 0)).toBe(0);
  expect(repeats.sample('other', 1)).toBe(0);
  expect(repeats.sample('one', 1)).toBeUndefined();
  expect(repeats.sample('one', 29)).toBeUndefined();
  expect(repeats.sample('one', 30)).toBe(2);
  expect(repeats.sample('one', 59)).toBeUndefined();
  expect(repeats.sample('one', 300)).toBe(1);
  expect(repeats.sample('one', 330)).toBe(0);
});

it('accounts for every one, and lets no two through within an interval', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(steps, (gaps) => {
      const repeats = new LogSampler(30);
      let now = 0;
      let accounted = 0;
      const passedAt: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const heldBack = repeats.sample('kind', now);
        if (heldBack === undefined) continue;
        accounted += heldBack + 1;
        passedAt.push(now);
      }
      const last = repeats.sample('kind', now + 30);
      expect(accounted + (last ?? 0)).toBe(gaps.length);
      expect(passedAt.every((at, index) => index === 0 || at - (passedAt[index - 1] ?? 0) >= 30)).toBe(true);
    }),
  );
});
