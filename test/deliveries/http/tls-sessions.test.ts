import { expect, it } from 'vitest';
import { TlsSessions } from '../../../src/deliveries/http/tls-sessions.ts';

const stored = { session: Buffer.from('session'), validUntil: 1000 };

it('keeps the sessions of the 100,000 endpoints that were connected to last', () => {
  const sessions = new TlsSessions();
  for (let index = 0; index < 100_000; index += 1) sessions.store(`host-${index}.test:443`, stored);
  expect(sessions.find('host-0.test:443', 0)).toBe(stored);
  sessions.store('one-more.test:443', stored);
  expect(sessions.find('host-0.test:443', 0)).toBe(stored);
  expect(sessions.find('host-1.test:443', 0)).toBeUndefined();
});
