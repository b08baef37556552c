import { expect, it } from 'vitest';
import { Journal } from './service-log.ts';

it('tells lines of the service from anything else on its output', () => {
  const journal = new Journal();
  for (const line of ['{"level":"info","event":"service.started"}', '{"level":"info"}', 'oops']) journal.take(line);
  expect(journal.lines).toEqual([{ level: 'info', event: 'service.started' }]);
  expect(journal.unreadable).toEqual(['{"level":"info"}', 'oops']);
  expect(journal.text).toHaveLength(3);
});
