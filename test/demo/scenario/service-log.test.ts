import { expect, it } from 'vitest';
import { ServiceLog } from './service-log.ts';

it('separates log lines of the service from other output', () => {
  const log = new ServiceLog();
  for (const line of ['{"level":"info","event":"service.started"}', '{"level":"info"}', 'oops']) log.add(line);
  expect(log.lines).toEqual([{ level: 'info', event: 'service.started' }]);
  expect(log.unreadable).toEqual(['{"level":"info"}', 'oops']);
  expect(log.text).toHaveLength(3);
});
