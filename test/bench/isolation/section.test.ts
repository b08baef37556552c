import { expect, it } from 'vitest';
import type { Spread } from '../spread.ts';
import type { Figures } from './figures.ts';
import { sectionOf } from './section.ts';

const zero = spread(0, 0, 0);
const figures: Figures = {
  conditions: { date: '2026-11-25', cores: 2, node: '24.21.0' },
  rounds: 5,
  groups: [
    {
      name: 'one endpoint fails',
      p99Ms: { healthy: spread(11.5, 11, 11.8), faulty: spread(12, 10.9, 12.2), ratio: spread(1.01, 0.96, 1.06) },
      requestP99Ms: { healthy: zero, faulty: zero, ratio: zero },
      throughputRatio: spread(0.98, 0.94, 1.04),
      stealPercent: { healthy: zero, faulty: zero },
    },
  ],
  burst: { medianMs: spread(6, 5, 8), p99Ms: spread(35, 26, 55), samePartitionMs: spread(11173, 10752, 11463) },
};

it('has when and on what it was measured, a row for each group, and the burst', () => {
  const text = sectionOf(figures);
  expect(text).toMatch(/^Measured on 2026-11-25 with Node\.js 24\.21\.0 on 2 cores.* of 5 rounds;/);
  expect(text).toContain('| one endpoint fails | 11.5 | 12.0 | 1.01 (0.96 … 1.06) | 0.98 (0.94 … 1.04) |');
  expect(text).toContain('by 6 (5 … 8) ms in the median and by 35 (26 … 55) ms at p99.');
  expect(text).toMatch(/takes 11173 \(10752 … 11463\) ms\.$/);
});

function spread(median: number, lowest: number, highest: number): Spread {
  return { median, lowest, highest };
}
