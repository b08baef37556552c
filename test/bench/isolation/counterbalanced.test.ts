import { expect, it } from 'vitest';
import { runCounterbalanced } from './counterbalanced.ts';
import type { Run } from './experiment.ts';

it.each([
  [0, ['healthy', 'faulty', 'faulty', 'healthy']],
  [1, ['faulty', 'healthy', 'healthy', 'faulty']],
])('measures both twice in round %i, the second time in reverse order', async (round, order) => {
  const measured: string[] = [];
  await runCounterbalanced(round, (variant) => {
    measured.push(variant);
    return Promise.resolve(aRun(0));
  });
  expect(measured).toEqual(order);
});

it('favours neither when the machine gets slower at a constant rate', async () => {
  let stealShare = 0;
  const { healthy, faulty } = await runCounterbalanced(0, () => {
    stealShare += 1;
    return Promise.resolve(aRun(stealShare));
  });
  expect(total(faulty)).toBe(total(healthy));
});

function aRun(stealShare: number): Run {
  return { steady: [], stealShare, backlog: [] };
}

function total(runs: readonly Run[]): number {
  return runs.reduce((sum, { stealShare }) => sum + stealShare, 0);
}
