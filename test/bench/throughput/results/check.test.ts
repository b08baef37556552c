import { describe, expect, it } from 'vitest';
import { readText } from '../../../support/files/sources.ts';
import { scenarios } from '../scenarios.ts';
import { complaintsAbout, ratiosOf } from './check.ts';
import { aResult, cpu } from './builders.ts';

const baseline = { 'one-host': 2 };

describe('what is compared with the baseline', () => {
  it('is the median of the service over that of undici alone', () => {
    const results = [aResult({ 'the service': cpu(3, 9, 4), 'undici alone': cpu(2, 1, 2), 'kafkajs alone': cpu(7) })];
    expect(ratiosOf(results)).toEqual({ 'one-host': 2 });
  });

  it('leaves out scenarios that have only one of them', () => {
    expect(ratiosOf([aResult({ 'the service': cpu(1) }), aResult({ 'undici alone': cpu(1) })])).toEqual({});
  });

  it('names contestants as the scenario that CI runs does', () => {
    const scenario = scenarios('').find(({ name }) => name === 'one-host');
    const contestants = scenario?.contestants.map(({ name }) => name) ?? [];
    expect(contestants).toEqual(expect.arrayContaining(['the service', 'undici alone']));
  });
});

describe('the check', () => {
  it.each([1, 2, 2.5])('is content with %d where it was 2', (ratio) => {
    expect(complaintsAbout({ 'one-host': ratio }, { baseline })).toEqual([]);
  });

  it('complains in a plain sentence about more than a quarter above', () => {
    expect(complaintsAbout({ 'one-host': 2.51 }, { baseline })).toEqual([
      'one-host: a delivery takes 2.51 times the CPU of undici alone. It was 2.00 times, and up to 2.50 is allowed.',
    ]);
  });

  it('complains about what is no number', () => {
    expect(complaintsAbout({ 'one-host': Number.NaN }, { baseline })).toHaveLength(1);
  });

  it('says how to write a baseline that is not there', () => {
    expect(complaintsAbout({ steady: 1 }, { baseline })).toEqual([
      'steady has no baseline: npm run bench -- --short --only steady --record writes it.',
    ]);
  });

  it('complains when there was nothing to check', () => {
    expect(complaintsAbout({}, { baseline })).toEqual([expect.stringContaining('Nothing was checked')]);
  });

  it('has a baseline of scenarios that there are', () => {
    const recorded = Object.entries(JSON.parse(readText('test/bench/throughput/baseline.json')) as object);
    const known = new Set(scenarios('').map(({ name }) => name));
    expect(recorded.filter(([name, ratio]) => !known.has(name) || !(Number(ratio) > 0))).toEqual([]);
  });
});
