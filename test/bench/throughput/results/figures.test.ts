import { describe, expect, it } from 'vitest';
import type { Medians } from '../scenarios/scenario.ts';
import { aResult, cpu } from './builders.ts';
import { figuresOf, isMet } from './figures.ts';

describe('the figures of a system', () => {
  it('are spreads of the samples that have the quantity, with the digits of its column', () => {
    const samples = [...cpu(3.0004, 1, 2), { peakMemoryMiB: 99.6 }];
    const [service] = figuresOf(aResult({ 'the service': samples })).systems;
    expect(service).toEqual({
      name: 'the service',
      isLimit: false,
      quantities: {
        cpu: { median: 2, lowest: 1, highest: 3 },
        peakMemoryMiB: { median: 100, lowest: 100, highest: 100 },
      },
    });
  });

  it('say which systems are limits, and how many rounds there were', () => {
    const { systems, rounds } = figuresOf(aResult({ 'the service': cpu(1, 2), 'undici alone': cpu(1, 1) }));
    expect(systems.map(({ isLimit }) => isLimit)).toEqual([false, true]);
    expect(rounds).toBe(2);
  });
});

describe('a target', () => {
  const over = { what: 'CPU over undici alone', atMost: 2, value: ratio };

  it.each([
    [cpu(1, 9, 4), 2, true],
    [cpu(1, 9, 5), 2.5, false],
    [cpu(1, 9, 4.001), 2.001, false],
  ])('is checked with exact medians, and %j results in %d', (service, value, met) => {
    const { targets } = figuresOf(aResult({ 'the service': service, 'undici alone': cpu(2) }, { targets: [over] }));
    expect(targets).toEqual([{ what: over.what, atMost: 2, value }]);
    expect(targets.map(isMet)).toEqual([met]);
  });

  it('is not met if it was not measured', () => {
    const { targets } = figuresOf(aResult({ 'the service': cpu(1) }, { targets: [over] }));
    expect(targets).toEqual([{ what: over.what, atMost: 2, value: null }]);
    expect(targets.map(isMet)).toEqual([false]);
  });
});

function ratio(median: Medians): number {
  return median('the service', 'cpu') / median('undici alone', 'cpu');
}
