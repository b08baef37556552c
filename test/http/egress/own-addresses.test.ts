import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { createOwnAddresses } from '../../../src/http/egress/egress-policy.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

it('returns the addresses of this machine, and asks the system again after a second', async () => {
  const clock = new ManualClock();
  const ownAddresses = createOwnAddresses(clock);
  const first = ownAddresses();
  const ofInterfaces = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces);
  expect(first).toEqual(ofInterfaces.map(({ address }) => address));
  await clock.advance(999);
  expect(ownAddresses()).toBe(first);
  await clock.advance(1);
  const next = ownAddresses();
  expect(next).not.toBe(first);
  expect(next).toEqual(first);
});
