import { expect, it } from 'vitest';
import { Readiness } from '../../../src/telemetry/admin/readiness.ts';

it('names the unmet conditions, then the current failures, and finally the shutdown', () => {
  const readiness = new Readiness(['the topics', 'membership']);
  let failing: readonly string[] = [];
  readiness.addCheck(() => failing);
  expect(readiness.missing()).toEqual(['the topics', 'membership']);
  readiness.markReached('the topics');
  readiness.markReached('membership');
  expect(readiness.missing()).toEqual([]);
  failing = ['writes to retry.10s'];
  expect(readiness.missing()).toEqual(['writes to retry.10s']);
  readiness.stop();
  expect(readiness.missing()).toEqual(['shutting down']);
});
