import { describe, expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { isMet, reachedOf, spreadOf } from './figures.ts';

describe('the spread of a quantity', () => {
  it.each([
    [[7], { median: 7, least: 7, most: 7 }],
    [[10, 9, 100], { median: 10, least: 9, most: 100 }],
    [[3, 1, 2, 5, 4], { median: 3, least: 1, most: 5 }],
    [[4, 1, 2, 3], { median: 3, least: 1, most: 4 }],
  ])('of %j has the median, the lowest and the highest by size', (seconds, spread) => {
    expect(spreadOf(cpu(...seconds), 'cpu')).toEqual(spread);
  });

  it('is of the samples that have it', () => {
    const samples = [...cpu(1, 2, 3), { peakMemoryMiB: 100 }];
    expect(spreadOf(samples, 'cpu')).toEqual({ median: 2, least: 1, most: 3 });
    expect(spreadOf(samples, 'p99')).toBeUndefined();
  });
});

describe('a target', () => {
  const over = { what: 'CPU over undici alone', atMost: 2 };

  it.each([
    [cpu(1, 9, 4), 2, true],
    [cpu(1, 9, 5), 2.5, false],
  ])('is held against the medians, and %j come to %d', (service, value, met) => {
    const target = { ...over, value: ratio };
    const [reached] = reachedOf(aResult({ 'the service': service, 'undici alone': cpu(2) }, { targets: [target] }));
    expect(reached).toEqual({ target, value });
    expect(reached !== undefined && isMet(reached)).toBe(met);
  });

  it('that could not be measured is not met', () => {
    const [reached] = reachedOf(aResult({ 'the service': cpu(1) }, { targets: [{ ...over, value: ratio }] }));
    expect(reached?.value).toBeNaN();
    expect(reached !== undefined && isMet(reached)).toBe(false);
  });
});

function ratio(of: (contestant: string, quantity: 'cpu') => number): number {
  return of('the service', 'cpu') / of('undici alone', 'cpu');
}
