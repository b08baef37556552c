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

it('keeps a partial answer as briefly as a failure', () => {
  const cache = new NameCache();
  const answer = { kind: 'partial', addresses: ['192.0.2.1'] } as const;
  cache.store('half.test', answer, 0);
  expect(cache.find('half.test', 4999)).toBe(answer);
  expect(cache.find('half.test', 5000)).toBeUndefined();
});
