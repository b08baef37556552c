import { expect, it } from 'vitest';
import { isWithFirst, partitionOf, partitions } from './partitions.ts';
import { certificatesWith, comparisons, endpointOf, fine, isMeasured } from './fault.ts';

const endpoints = 200;

it('gives each endpoint one certificate after the other', () => {
  expect(receivers(endpoints, false)).toEqual(new Set(Array.from({ length: endpoints }, (_, endpoint) => endpoint)));
});

it('gives half to the first one, and the rest to each of all, those of its own partition included', () => {
  expect(endpointOf(4, endpoints, { ...fine, isLopsided: true })).toBe(0);
  const all = certificatesWith(endpoints, { ...fine, isLopsided: true });
  expect(receivers(all, true)).toEqual(receivers(endpoints, false));
  expect(receivers(all - 2, true)).not.toEqual(receivers(endpoints, false));
});

it.each(comparisons(endpoints))('measures endpoints in each partition: $having.name', (comparison) => {
  const measured = [...receivers(endpoints, false)].filter((endpoint) => isMeasured(endpoint, comparison));
  expect(new Set(measured.map(partitionOf)).size).toBe(partitions);
});

it('tells those that share no partition with the endpoint that hangs from all', () => {
  const [all, elsewhere] = comparisons(endpoints).flatMap(({ having, groups }) => (having.isLopsided ? groups : []));
  const behind = [...receivers(endpoints, false)].filter(isWithFirst);
  expect(behind.map((endpoint) => all?.has(endpoint))).not.toContain(false);
  expect(behind.map((endpoint) => elsewhere?.has(endpoint))).not.toContain(true);
});

/** Of so many certificates. */
function receivers(certificates: number, isLopsided: boolean): ReadonlySet<number> {
  const trouble = { ...fine, isLopsided };
  return new Set(Array.from({ length: certificates }, (_, number) => endpointOf(number, endpoints, trouble)));
}
