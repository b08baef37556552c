import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogSampler } from '../../../src/telemetry/events/event-sinks.ts';

it('accepts the first event of each kind, and one after each interval, with the number held back', () => {
  const sampler = new LogSampler(30);
  expect(sampler.sample('one', 0)).toBe(0);
  expect(sampler.sample('other', 1)).toBe(0);
  expect(sampler.sample('one', 1)).toBeUndefined();
  expect(sampler.sample('one', 29)).toBeUndefined();
  expect(sampler.sample('one', 30)).toBe(2);
  expect(sampler.sample('one', 59)).toBeUndefined();
  expect(sampler.sample('one', 300)).toBe(1);
  expect(sampler.sample('one', 330)).toBe(0);
});

it('counts every event, and accepts no two within an interval', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(steps, (gaps) => {
      const sampler = new LogSampler(30);
      let now = 0;
      let counted = 0;
      const acceptedAt: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const heldBack = sampler.sample('kind', now);
        if (heldBack === undefined) continue;
        counted += heldBack + 1;
        acceptedAt.push(now);
      }
      const last = sampler.sample('kind', now + 30);
      expect(counted + (last ?? 0)).toBe(gaps.length);
      expect(acceptedAt.every((at, index) => index === 0 || at - (acceptedAt[index - 1] ?? 0) >= 30)).toBe(true);
    }),
  );
});
