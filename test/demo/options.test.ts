import { expect, it } from 'vitest';
import { parseOptions, usage } from './options.ts';

it.each([
  [[], { kind: 'run', keep: false }],
  [['--keep'], { kind: 'run', keep: true }],
  [['--help'], { kind: 'help' }],
  [['--keep', '--help'], { kind: 'help' }],
])('accepts %j', (args, options) => {
  expect(parseOptions(args)).toEqual(options);
});

it.each([
  ['--kept', "Unknown option '--kept'"],
  ['--keep=no', "Option '--keep' does not take an argument"],
  ['keep', "Unexpected argument 'keep'"],
])('refuses %s and says why', (word, problem) => {
  expect(parseOptions([word])).toEqual({ kind: 'mistaken', problem: expect.stringContaining(problem) });
});

it('prints its usage in lines of at most 80 characters', () => {
  expect(usage.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
