import { describe, expect, it } from 'vitest';
import { mergeAnswers } from '../../../src/http/dns/name-answer.ts';

const ipv4 = { kind: 'addresses', addresses: ['192.0.2.1'], ttlMs: 60_000 } as const;
const ipv6 = { kind: 'addresses', addresses: ['2001:db8::1'], ttlMs: 30_000 } as const;

it('merges the addresses of both families, with the shorter time to live', () => {
  expect(mergeAnswers([ipv4, ipv6])).toEqual({
    kind: 'addresses',
    addresses: ['192.0.2.1', '2001:db8::1'],
    ttlMs: 30_000,
  });
});

describe('addresses of one family', () => {
  it.each(['ENODATA', 'ENOTFOUND'])('are the whole answer when the other says %s', (code) => {
    expect(mergeAnswers([ipv4, failure(code)])).toEqual(ipv4);
    expect(mergeAnswers([failure(code), ipv6])).toEqual(ipv6);
  });

  it.each(['ETIMEOUT', 'ESERVFAIL', 'EREFUSED'])('are a partial answer when the other fails with %s', (code) => {
    const { error } = failure(code);
    expect(mergeAnswers([ipv4, failure(code)])).toEqual({ kind: 'partial', addresses: ipv4.addresses, error });
    expect(mergeAnswers([failure(code), ipv6])).toEqual({ kind: 'partial', addresses: ipv6.addresses, error });
  });
});

it('fails with an inconclusive error rather than with a final one', () => {
  expect(mergeAnswers([failure('ENODATA'), failure('ESERVFAIL')])).toEqual(failure('ESERVFAIL'));
  expect(mergeAnswers([failure('ENODATA'), failure('ENOTFOUND')])).toEqual(failure('ENODATA'));
});

function failure(code: string): { readonly kind: 'failure'; readonly error: unknown } {
  return { kind: 'failure', error: Object.assign(new Error(code), { code }) };
}
