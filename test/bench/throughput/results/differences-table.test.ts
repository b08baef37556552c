import { expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { describeDifferences } from './differences-table.ts';

it('has a row for each measured quantity of the service, and none for limits', () => {
  const these = [2, 2.1, 2.2, 2.3, 2.4].map((one) => ({ cpu: one, perSecond: 4000 - one, peakMemoryMiB: 100 }));
  const those = [1, 1.1, 1.2, 1.3, 1.4].map((one) => ({ cpu: one, perSecond: 4000 - one * 2, peakMemoryMiB: 100 }));
  const result = aResult({ 'the service': these, 'the service at v1': those, 'undici alone': cpu(1, 1, 1, 1, 1) });
  expect(describeDifferences([result], 'v1').split('\n').slice(4)).toEqual([
    '### One host',
    '',
    '|  |  | ratio |  |',
    '| --- | --- | ---: | --- |',
    '| the service | CPU per 10,000, s | 1.833 | **differs**, p = 0.008 |',
    expect.stringMatching(/^\| the service \| per second \| 1\.000 \| noise, p = 0\.\d{3} \|$/),
  ]);
});

it('reports too few rounds', () => {
  const result = aResult({ 'the service': cpu(9, 9, 9), 'the service at v1': cpu(1, 1, 1) });
  expect(describeDifferences([result], 'v1')).toContain('| 9.000 | too few runs, p = 0.100 |');
});
