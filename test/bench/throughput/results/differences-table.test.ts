import { expect, it } from 'vitest';
import { describeDifferences } from './differences-table.ts';
import { aResult, cpu } from './builders.ts';

it('has a row for each quantity of the service, and none for limits or for what was not measured', () => {
  const these = [2, 2.1, 2.2, 2.3, 2.4].map((one) => ({ cpu: one, perSecond: 4000 - one, peakMemoryMiB: 100 }));
  const those = [1, 1.1, 1.2, 1.3, 1.4].map((one) => ({ cpu: one, perSecond: 4000 - one * 2, peakMemoryMiB: 100 }));
  const result = aResult({ 'the service': these, 'the service at v1': those, 'undici alone': cpu(1, 1, 1, 1, 1) });
  expect(describeDifferences([result], 'v1').split('\n').slice(4)).toEqual([
    '### A backlog to one host',
    '',
    '|  |  | ratio |  |',
    '| --- | --- | ---: | --- |',
    '| the service | CPU s per 10,000 | 1.833 | **differs**, p = 0.008 |',
    expect.stringMatching(/^\| the service \| a second \| 1\.000 \| noise, p = 0\.\d{3} \|$/),
  ]);
});

it('says when there were too few rounds to tell anything', () => {
  const result = aResult({ 'the service': cpu(9, 9, 9), 'the service at v1': cpu(1, 1, 1) });
  expect(describeDifferences([result], 'v1')).toContain('| 9.000 | too few runs to tell, p = 0.100 |');
});
