import { expect, it } from 'vitest';
import type { Run } from './experiment.ts';
import { together } from './measured.ts';

it('takes deliveries of several runs for those of one', () => {
  const quick = aRun({ latenciesMs: Array.from({ length: 980 }, () => 2), backlog: { deliveries: 1000, ms: 100 } });
  const slow = aRun({ latenciesMs: Array.from({ length: 20 }, () => 9), backlog: { deliveries: 1000, ms: 300 } });
  expect(together([quick, slow])).toMatchObject({ p99Ms: 9, perSecond: 5000, stolen: 0 });
});

it('has the time to the request apart from that to the 2xx', () => {
  const { p99Ms, untilRequestP99Ms } = together([aRun({ latenciesMs: [7], untilRequestMs: [2] })]);
  expect([p99Ms, untilRequestP99Ms]).toEqual([7, 2]);
});

it('has what the host took in the mean', () => {
  expect(together([aRun({ stolen: 0.01 }), aRun({ stolen: 0.03 })]).stolen).toBeCloseTo(0.02);
});

function aRun(run: Partial<Run>): Run {
  return { latenciesMs: [1], untilRequestMs: [1], stolen: 0, backlog: { deliveries: 1, ms: 1 }, ...run };
}
