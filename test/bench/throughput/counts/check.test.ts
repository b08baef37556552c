import { describe, expect, it } from 'vitest';
import { complaintsAboutCounts, readCountsBaseline } from './check.ts';

const counted = { scenario: 'one-host', system: 'the service', counts: { heapBytes: 1000, promises: 9 } };
const complaints = (counts: Readonly<Record<string, number>>, baseline: Readonly<Record<string, number>>) =>
  complaintsAboutCounts([{ ...counted, counts: { ...counted.counts, ...counts } }], {
    baseline: { 'one-host, the service': { ...counted.counts, ...baseline } },
  });

describe('the check of counts', () => {
  it.each([900, 1000, 1050])('accepts %d heap bytes with a baseline of 1000', (heapBytes) => {
    expect(complaints({ heapBytes }, {})).toEqual([]);
  });

  it('complains about more than 5 % above the baseline', () => {
    expect(complaints({ heapBytes: 1051 }, {})).toEqual([
      'one-host, the service: 1051 heapBytes per delivery. The baseline is 1000, and at most 1050 is allowed.',
    ]);
  });

  it('complains about a count that is missing', () => {
    expect(complaints({ promises: Number.NaN }, {})).toHaveLength(1);
  });

  it('says how to write a baseline that is missing', () => {
    expect(complaintsAboutCounts([counted], { baseline: {} })[0]).toContain('--count --only one-host --record');
  });

  it('does not compare systems that are not our code', () => {
    const alone = { ...counted, system: 'undici alone' };
    expect(complaintsAboutCounts([alone], { baseline: {} })).toEqual(['Nothing was checked: no system is our code.']);
  });

  it('has a baseline for the scenario that CI runs', () => {
    expect(readCountsBaseline()).toHaveProperty(['one-host, the service']);
  });
});
