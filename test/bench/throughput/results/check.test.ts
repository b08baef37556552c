import { describe, expect, it } from 'vitest';
import { readText } from '../../../support/files/sources.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { aResult, cpu } from './builders.ts';
import { complaintsAbout, ratiosOf } from './check.ts';

const baseline = { 'one-host': 2 };

describe('the ratio for the baseline', () => {
  it('is the median of the service divided by that of undici alone', () => {
    const results = [aResult({ 'the service': cpu(3, 9, 4), 'undici alone': cpu(2, 1, 2), 'kafkajs alone': cpu(7) })];
    expect(ratiosOf(results)).toEqual({ 'one-host': 2 });
  });

  it('does not exist for scenarios that lack one of the two', () => {
    expect(ratiosOf([aResult({ 'the service': cpu(1) }), aResult({ 'undici alone': cpu(1) })])).toEqual({});
  });

  it('exists for the scenario that CI runs', () => {
    const scenario = scenarios('').find(({ name }) => name === 'one-host');
    const systems = scenario?.systems.map(({ name }) => name) ?? [];
    expect(systems).toEqual(expect.arrayContaining(['the service', 'undici alone']));
  });
});

describe('the check', () => {
  it.each([1, 2, 2.5])('accepts %d with a baseline of 2', (ratio) => {
    expect(complaintsAbout({ 'one-host': ratio }, { baseline })).toEqual([]);
  });

  it('complains about more than a quarter above the baseline', () => {
    expect(complaintsAbout({ 'one-host': 2.51 }, { baseline })).toEqual([
      'one-host: a delivery takes 2.51 times the CPU of undici alone. The baseline is 2.00, and at most 2.50 is allowed.',
    ]);
  });

  it('complains about NaN', () => {
    expect(complaintsAbout({ 'one-host': Number.NaN }, { baseline })).toHaveLength(1);
  });

  it('explains how to write a missing baseline', () => {
    expect(complaintsAbout({ steady: 1 }, { baseline })).toEqual([
      'steady has no baseline. Write it with: npm run bench -- --short --only steady --record',
    ]);
  });

  it('complains if there is nothing to check', () => {
    expect(complaintsAbout({}, { baseline })).toEqual([expect.stringContaining('Nothing was checked')]);
  });

  it('has a baseline only of existing scenarios', () => {
    const recorded = Object.entries(JSON.parse(readText('test/bench/throughput/baseline.json')) as object);
    const known = new Set(scenarios('').map(({ name }) => name));
    expect(recorded.filter(([name, ratio]) => !known.has(name) || !(Number(ratio) > 0))).toEqual([]);
  });
});
