import { expect, it } from 'vitest';
import type { Run } from './experiment.ts';
import { mirrored } from './counterbalanced.ts';

it.each([
  [0, ['without', 'having', 'having', 'without']],
  [1, ['having', 'without', 'without', 'having']],
])('measures both twice in round %i, the second time in reverse', async (round, order) => {
  const measured: string[] = [];
  await mirrored(round, (which) => {
    measured.push(which);
    return Promise.resolve(aRun(0));
  });
  expect(measured).toEqual(order);
});

it('costs neither anything that a machine gets slower evenly', async () => {
  let stolen = 0;
  const { without, having } = await mirrored(0, () => {
    stolen += 1;
    return Promise.resolve(aRun(stolen));
  });
  expect(total(having)).toBe(total(without));
});

function aRun(stolen: number): Run {
  return { steady: [], stolen, backlog: [] };
}

function total(runs: readonly Run[]): number {
  return runs.reduce((sum, { stolen }) => sum + stolen, 0);
}
