import { describe, expect, it } from 'vitest';
import { Throttle } from '../../src/backpressure/throttle.ts';

const idle = { delayMs: 1, memory: 0.2 };

describe('Throttle', () => {
  it('keeps the whole intake while the process is not under pressure', () => {
    expect(new Throttle().update({ delayMs: 80, memory: 0.8 })).toBe(1);
  });

  it.each([
    { because: 'the event loop is late', load: { delayMs: 101, memory: 0.2 } },
    { because: 'memory runs out', load: { delayMs: 1, memory: 0.86 } },
  ])('halves the intake at each reading while $because, down to an eighth', ({ load }) => {
    const throttle = new Throttle();
    expect([1, 2, 3, 4].map(() => throttle.update(load))).toEqual([0.5, 0.25, 0.125, 0.125]);
  });

  it('raises the intake by an eighth at each calm reading', () => {
    const throttle = new Throttle();
    throttle.update({ ...idle, delayMs: 500 });
    expect([1, 2, 3, 4, 5].map(() => throttle.update(idle))).toEqual([0.625, 0.75, 0.875, 1, 1]);
  });

  it('leaves the intake as it is between pressure and calm', () => {
    const throttle = new Throttle();
    throttle.update({ ...idle, delayMs: 500 });
    expect(throttle.update({ ...idle, delayMs: 70 })).toBe(0.5);
    expect(throttle.update({ ...idle, memory: 0.8 })).toBe(0.5);
  });
});
