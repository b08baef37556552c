import { expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { figuresOf } from './figures.ts';
import { describeScenarios } from './table.ts';

it('has the spread of each measured quantity, and the targets', () => {
  const steady = { cpu: 1.2346, p99: 9.87, peakMemoryMiB: 99.6 };
  const targets = [
    { what: 'CPU', atMost: 2, value: () => 1.23456 },
    { what: 'p99 in ms', atMost: 3, value: () => 9.87 },
    { what: 'p50 in ms', atMost: 3, value: () => Number.NaN },
  ];
  const result = aResult({ 'the service': [steady], 'undici alone': cpu(3, 1, 2) }, { title: 'A stream', targets });
  expect(describeScenarios([figuresOf(result)]).split('\n')).toEqual([
    '### A stream',
    '',
    '|  | CPU per 10,000, s | p99, ms | peak memory, MiB |',
    '| --- | ---: | ---: | ---: |',
    '| the service | 1.235 (1.235 … 1.235) | 9.9 (9.9 … 9.9) | 100 (100 … 100) |',
    '| undici alone | 2.000 (1.000 … 3.000) |  | 100 (100 … 100) |',
    '',
    '| Target | at most | measured |  |',
    '| --- | ---: | ---: | --- |',
    '| CPU | 2 | 1.235 | met |',
    '| p99 in ms | 3 | 9.870 | **not met** |',
    '| p50 in ms | 3 | not measured | **not met** |',
  ]);
});

it('has a heading for each scenario, and no targets where there are none', () => {
  const results = ['One', 'Two'].map((title) => aResult({ 'the service': cpu(1) }, { title }));
  const text = describeScenarios(results.map(figuresOf));
  expect(text.match(/^### .*$/gm)).toEqual(['### One', '### Two']);
  expect(text).not.toContain('Target');
});
