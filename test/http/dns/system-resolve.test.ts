import { expect, it } from 'vitest';
import { createSystemResolve } from '../../../src/http/dns/system-resolve.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

it('resolves a name as the system does, once for all callers within half a minute', async () => {
  const clock = new ManualClock();
  const resolve = createSystemResolve(clock);
  const first = resolve('localhost');
  expect(resolve('localhost')).toBe(first);
  expect(await first).toContain('127.0.0.1');
  await clock.advance(29_999);
  expect(resolve('localhost')).toBe(first);
  await clock.advance(1);
  const second = resolve('localhost');
  expect(second).not.toBe(first);
  expect(await second).toContain('127.0.0.1');
});

it('looks up again after a failure, and for another name', async () => {
  const resolve = createSystemResolve(new ManualClock());
  const failing = resolve('proxy.invalid');
  await expect(failing).rejects.toThrow('proxy.invalid');
  const again = resolve('proxy.invalid');
  expect(again).not.toBe(failing);
  await expect(again).rejects.toThrow('proxy.invalid');
  expect(await resolve('127.0.0.1')).toEqual(['127.0.0.1']);
});
