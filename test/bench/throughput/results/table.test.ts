import { expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { describe } from './table.ts';

it('has the medians with the lowest and the highest, of what was measured, and what became of targets', () => {
  const steady = { cpu: 1.2345, p99: 9.87, peakMemoryMiB: 99.6 };
  const targets = [
    { what: 'CPU', atMost: 2, value: () => 1.23456 },
    { what: 'p99 in ms', atMost: 3, value: () => 9.87 },
  ];
  const result = aResult({ 'the service': [steady], 'undici alone': cpu(3, 1, 2) }, { title: 'A stream', targets });
  expect(describe([result]).split('\n')).toEqual([
    '### A stream',
    '',
    '|  | CPU s per 10,000 | p99, ms | peak memory, MiB |',
    '| --- | ---: | ---: | ---: |',
    '| the service | 1.234 (1.234 … 1.234) | 9.9 (9.9 … 9.9) | 100 (100 … 100) |',
    '| undici alone | 2.000 (1.000 … 3.000) |  | 100 (100 … 100) |',
    '',
    '| Target | at most | is |  |',
    '| --- | ---: | ---: | --- |',
    '| CPU | 2 | 1.235 | met |',
    '| p99 in ms | 3 | 9.870 | **not met** |',
  ]);
});

it('has a heading for each scenario, and no targets where there are none', () => {
  const text = describe(['One', 'Two'].map((title) => aResult({ 'the service': cpu(1) }, { title })));
  expect(text.match(/^### .*$/gm)).toEqual(['### One', '### Two']);
  expect(text).not.toContain('Target');
});
