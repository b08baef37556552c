import { expect, it } from 'vitest';
import { isComplete, readOptions, usage } from './options.ts';

const known = { scenarios: ['one-host', 'steady', 'idle'] };
const all = { short: false, only: [], compare: undefined, mode: 'measure', baseline: 'ignore' };

it.each([
  [[], all],
  [['--short'], { ...all, short: true }],
  [['--only', 'steady', '--only', 'idle'], { ...all, only: ['steady', 'idle'] }],
  [['--compare', 'main'], { ...all, compare: 'main' }],
  [['--profile'], { ...all, mode: 'profile' }],
  [['--count', '--check'], { ...all, mode: 'count', baseline: 'check' }],
  [['--check'], { ...all, baseline: 'check' }],
  [['--record'], { ...all, baseline: 'record' }],
])('accepts %j', (parameters, options) => {
  expect(readOptions(parameters, known)).toEqual(options);
});

it.each([
  [['--shorter'], "Unknown option '--shorter'"],
  [['short'], "Unexpected argument 'short'"],
  [['--compare'], 'argument missing'],
  [['--only', 'one-hots'], '--only one-hots: no such scenario. Scenarios: one-host, steady, idle.'],
  [['--profile', '--check'], '--profile excludes --compare, --check and --record'],
  [['--count', '--profile'], '--count excludes --profile and --compare.'],
  [['--check', '--record'], '--check and --record exclude each other.'],
])('rejects %j and says why', (parameters, problem) => {
  expect(() => readOptions(parameters, known)).toThrow(problem);
});

it.each([
  [[], true],
  [['--record'], true],
  [['--short'], false],
  [['--only', 'idle'], false],
  [['--compare', 'main'], false],
])('knows if %j measures everything that the page shows', (parameters, complete) => {
  expect(isComplete(readOptions(parameters, known))).toBe(complete);
});

it('explains itself in at most 80 characters per row', () => {
  expect(usage.split('\n').filter((text) => text.length > 80)).toEqual([]);
});
