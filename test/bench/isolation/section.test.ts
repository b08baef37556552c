import { describe as group, expect, it } from 'vitest';
import { describe } from './section.ts';

group('the page', () => {
  it('has the median of the rounds, with the lowest and the highest', () => {
    const text = describe({
      compared: [
        {
          name: 'black holes',
          pairs: [
            {
              without: { p99Ms: 20, untilRequestP99Ms: 10, perSecond: 500, stolen: 0.01 },
              having: { p99Ms: 30, untilRequestP99Ms: 20, perSecond: 500, stolen: 0.021 },
            },
            {
              without: { p99Ms: 50, untilRequestP99Ms: 40, perSecond: 500, stolen: 0 },
              having: { p99Ms: 51, untilRequestP99Ms: 42, perSecond: 490, stolen: 0.1 },
            },
            {
              without: { p99Ms: 40, untilRequestP99Ms: 30, perSecond: 1000, stolen: 0.2 },
              having: { p99Ms: 36, untilRequestP99Ms: 27, perSecond: 991, stolen: 0 },
            },
          ],
        },
      ],
      bursts: [{ medianMs: 3.4, p99Ms: 40, behindItMs: 9000 }],
    });
    expect(text).toContain('| black holes | 1.02 (0.90 … 1.50) | 1.05 (0.90 … 2.00) | 0.99 (0.98 … 1.00) |');
    expect(text).toContain('| without: black holes | 40.0 (20.0 … 50.0) | 30.0 (10.0 … 40.0) | 1.0 (0.0 … 20.0) |');
    expect(text).toContain('| with: black holes | 36.0 (30.0 … 51.0) | 27.0 (20.0 … 42.0) | 2.1 (0.0 … 10.0) |');
    expect(text).toContain('| in other partitions, later in the median by | 3 (3 … 3) |');
  });
});
