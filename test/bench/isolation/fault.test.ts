import { expect, it } from 'vitest';
import { certificatesWith, comparisons, endpointOf, isMeasured, noFault } from './fault.ts';
import { partitionOf, partitions, sharesFirstPartition } from './partitions.ts';

const endpoints = 200;

it('gives each endpoint one certificate after the other', () => {
  expect(receivers(endpoints, false)).toEqual(new Set(Array.from({ length: endpoints }, (_, endpoint) => endpoint)));
});

it('gives half of a skewed load to the first endpoint, and the other half to all endpoints in turn', () => {
  expect(endpointOf(4, endpoints, { ...noFault, isSkewed: true })).toBe(0);
  const all = certificatesWith(endpoints, { ...noFault, isSkewed: true });
  expect(receivers(all, true)).toEqual(receivers(endpoints, false));
  expect(receivers(all - 2, true)).not.toEqual(receivers(endpoints, false));
});

it.each(comparisons(endpoints))('measures endpoints in each partition: $faulty.name', (comparison) => {
  const measured = [...receivers(endpoints, false)].filter((endpoint) => isMeasured(endpoint, comparison));
  expect(new Set(measured.map(partitionOf)).size).toBe(partitions);
});

it('has a group of all endpoints, and one of those that share no partition with the endpoint without responses', () => {
  const [all, otherPartitions] = comparisons(endpoints).flatMap(({ faulty, groups }) =>
    faulty.isSkewed ? groups : [],
  );
  const samePartition = [...receivers(endpoints, false)].filter(sharesFirstPartition);
  expect(samePartition.map((endpoint) => all?.has(endpoint))).not.toContain(false);
  expect(samePartition.map((endpoint) => otherPartitions?.has(endpoint))).not.toContain(true);
});

/** Returns the endpoints that get at least one of the certificates. */
function receivers(certificates: number, isSkewed: boolean): ReadonlySet<number> {
  const fault = { ...noFault, isSkewed };
  return new Set(Array.from({ length: certificates }, (_, number) => endpointOf(number, endpoints, fault)));
}
