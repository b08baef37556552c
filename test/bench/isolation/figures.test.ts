import { expect, it } from 'vitest';
import { figuresOf } from './figures.ts';

const conditions = { date: '2026-11-25', cores: 2, node: '24.21.0' };

it('has the median, the lowest and the highest of the rounds, and ratios within each round', () => {
  const { groups, burst, rounds } = figuresOf(
    {
      groups: [
        {
          name: 'one endpoint fails',
          pairs: [
            {
              healthy: { p99Ms: 20, requestP99Ms: 10, perSecond: 500, stealShare: 0.01 },
              faulty: { p99Ms: 30, requestP99Ms: 20, perSecond: 500, stealShare: 0.021 },
            },
            {
              healthy: { p99Ms: 50, requestP99Ms: 40, perSecond: 500, stealShare: 0 },
              faulty: { p99Ms: 51, requestP99Ms: 42, perSecond: 490, stealShare: 0.1 },
            },
            {
              healthy: { p99Ms: 40, requestP99Ms: 30, perSecond: 1000, stealShare: 0.2 },
              faulty: { p99Ms: 36, requestP99Ms: 27, perSecond: 991, stealShare: 0 },
            },
          ],
        },
      ],
      bursts: [3.4, 4.4, 9.6].map((medianMs) => ({ medianMs, p99Ms: 40, samePartitionMs: 9000 })),
    },
    conditions,
  );
  expect(groups).toEqual([
    {
      name: 'one endpoint fails',
      p99Ms: { healthy: spread(40, 20, 50), faulty: spread(36, 30, 51), ratio: spread(1.02, 0.9, 1.5) },
      requestP99Ms: { healthy: spread(30, 10, 40), faulty: spread(27, 20, 42), ratio: spread(1.05, 0.9, 2) },
      throughputRatio: spread(0.99, 0.98, 1),
      stealPercent: { healthy: spread(1, 0, 20), faulty: spread(2.1, 0, 10) },
    },
  ]);
  expect(burst).toEqual({
    medianMs: spread(4, 3, 10),
    p99Ms: spread(40, 40, 40),
    samePartitionMs: spread(9000, 9000, 9000),
  });
  expect(rounds).toBe(3);
});

function spread(median: number, lowest: number, highest: number) {
  return { median, lowest, highest };
}
