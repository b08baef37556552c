import { describe, expect, it } from 'vitest';
import { Throttle } from '../../src/backpressure/throttle.ts';

const idle = { delayMs: 1, memory: 0.2 };

describe('Throttle', () => {
  it('lets everything in while the process copes', () => {
    expect(new Throttle().look({ delayMs: 80, memory: 0.8 })).toBe(1);
  });

  it.each([
    { because: 'turns take long', load: { delayMs: 101, memory: 0.2 } },
    { because: 'memory runs out', load: { delayMs: 1, memory: 0.86 } },
  ])('halves the intake again and again while $because, down to an eighth', ({ load }) => {
    const throttle = new Throttle();
    expect([1, 2, 3, 4].map(() => throttle.look(load))).toEqual([0.5, 0.25, 0.125, 0.125]);
  });

  it('gives back by little steps what it took', () => {
    const throttle = new Throttle();
    throttle.look({ ...idle, delayMs: 500 });
    expect([1, 2, 3, 4, 5].map(() => throttle.look(idle))).toEqual([0.625, 0.75, 0.875, 1, 1]);
  });

  it('stays where it is between pressure and calm', () => {
    const throttle = new Throttle();
    throttle.look({ ...idle, delayMs: 500 });
    expect(throttle.look({ ...idle, delayMs: 70 })).toBe(0.5);
    expect(throttle.look({ ...idle, memory: 0.8 })).toBe(0.5);
  });
});
