import { expect, it } from 'vitest';
import { isStart, shortLine } from './log-line.ts';

const started = JSON.stringify({
  level: 'info',
  time: '2026-03-14T09:26:53.589Z',
  service: 'certificate-webhooks',
  version: '0.1.0',
  event: 'service.started',
  httpPort: 8080,
});

it('shortens a log line to time, level, event and fields', () => {
  expect(shortLine(started)).toBe('09:26:53.589 info  service.started httpPort=8080');
});

it.each([
  ['"a b"', { failure: 'a b' }],
  ['{"c":1}', { failure: { c: 1 } }],
  ['a', { failure: 'a' }],
])('prints the field value %s', (text, fields) => {
  const line = JSON.stringify({ time: '2026-03-14T09:26:53.589Z', level: 'warn', event: 'topic.gone', ...fields });
  expect(shortLine(line)).toBe(`09:26:53.589 warn  topic.gone failure=${text}`);
});

it.each(["Restarting 'src/main.ts serve'", '{ not JSON', ''])('leaves %j as it is', (line) => {
  expect(shortLine(line)).toBe(line);
  expect(isStart(line)).toBe(false);
});

it('finds the line that says that the service has started', () => {
  expect(isStart(started)).toBe(true);
});
