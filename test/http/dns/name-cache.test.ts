import { expect, it } from 'vitest';
import { NameCache } from '../../../src/http/dns/name-answer.ts';

it('keeps the 50,000 names that were asked for last', () => {
  const cache = new NameCache();
  const answer = { kind: 'addresses', addresses: ['192.0.2.1'], ttlMs: 60_000 } as const;
  for (let index = 0; index < 50_000; index += 1) cache.store(`host-${index}.test`, answer, 0);
  expect(cache.find('host-0.test', 0)).toBe(answer);
  cache.store('one-more.test', answer, 0);
  expect(cache.find('host-0.test', 0)).toBe(answer);
  expect(cache.find('host-1.test', 0)).toBeUndefined();
});

it.each([
  ['that comes late', new Error('late'), 5000],
  ['that the name server can not give', failure('ESERVFAIL'), 5000],
  ['that was not given in time', failure('ETIMEOUT'), 30_000],
])('waits before it asks again for a family %s', (_, error, keptMs) => {
  const cache = new NameCache();
  const answer = { kind: 'partial', addresses: ['192.0.2.1'], error } as const;
  cache.store('half.test', answer, 0);
  expect(cache.find('half.test', keptMs - 1)).toBe(answer);
  expect(cache.find('half.test', keptMs)).toBeUndefined();
});

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
