import { expect, it } from 'vitest';
import { statusClass } from '../../../src/telemetry/metrics/status-class.ts';

it.each([
  { status: undefined, expected: 'none' },
  { status: 101, expected: 'none' },
  { status: 200, expected: '2xx' },
  { status: 299, expected: '2xx' },
  { status: 304, expected: '3xx' },
  { status: 429, expected: '4xx' },
  { status: 599, expected: '5xx' },
  { status: 600, expected: 'none' },
  { status: 999, expected: 'none' },
])('counts $status as $expected', ({ status, expected }) => {
  expect(statusClass(status)).toBe(expected);
});
