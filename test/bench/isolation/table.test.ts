import { describe as group, expect, it } from 'vitest';
import { describe } from './table.ts';

group('the page', () => {
  it('has the median of the rounds, with the lowest and the highest', () => {
    const text = describe({
      compared: [{ name: 'black holes', p99: [1.5, 1.02, 0.9], throughput: [1, 0.98, 0.991] }],
      bursts: [{ medianMs: 3.4, p99Ms: 40, behindItMs: 9000 }],
    });
    expect(text).toContain('| black holes | 1.02 (0.90 … 1.50) | 0.99 (0.98 … 1.00) |');
    expect(text).toContain('| in other partitions, later in the median by | 3 (3 … 3) |');
  });
});
