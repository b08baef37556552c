import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTokenAnswer } from '../../../src/kafka/oauth/token-request.ts';
import { renewAfter } from '../../../src/kafka/oauth/token-source.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);

function read(body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readTokenAnswer({ status, body: Buffer.from(text) }, nowMs);
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const jwt = (claims: object): string => `${encode({ alg: 'RS256' })}.${encode(claims)}.c2ln`;

describe('readTokenAnswer', () => {
  it.each([
    { what: 'expires_in', body: { access_token: 'opaque', token_type: 'Bearer', expires_in: 300 }, lifeMs: 300_000 },
    { what: 'expires_in as text', body: { access_token: 'opaque', expires_in: '300' }, lifeMs: 300_000 },
    {
      what: 'the claim exp',
      body: { access_token: jwt({ exp: nowMs / 1_000 + 90 }), token_type: 'bearer' },
      lifeMs: 90_000,
    },
    { what: 'neither', body: { access_token: 'opaque' }, lifeMs: 60_000 },
    { what: 'a JWT without its end', body: { access_token: jwt({}) }, lifeMs: 60_000 },
  ])('takes the life of a token from $what', ({ body, lifeMs }) => {
    expect(read(body)).toMatchObject({ kind: 'token', lifeMs });
  });

  it('takes no life that is not finite, or longer than 30 days', () => {
    const numbers = fc.oneof(
      fc.double().map(String),
      fc.constantFrom('1e306', '1e308', '1e400', '-1e306', '9'.repeat(400)),
    );
    fc.assert(
      fc.property(numbers, (number) => {
        const claims = Buffer.from(`{"exp":${number}}`).toString('base64url');
        for (const body of [`{"access_token":"a","expires_in":${number}}`, `{"access_token":"a.${claims}.c"}`]) {
          const answer = read(body);
          if (answer.kind === 'failed') continue;
          expect(answer.lifeMs).toBeLessThanOrEqual(30 * 24 * 3_600_000);
          expect(renewAfter(answer.lifeMs)).toBeGreaterThan(0);
        }
      }),
    );
  });

  it.each([
    { body: { error: 'invalid_client', error_description: 'hush' }, status: 401, reason: 'answers 401 invalid_client' },
    { body: { error: 'invalid_scope' }, status: 400, reason: 'answers 400 invalid_scope' },
    { body: { error: 'No: hush' }, status: 400, reason: 'answers 400' },
    { body: '<html>hush</html>', status: 503, reason: 'answers 503' },
    { body: '', status: 302, reason: 'answers 302' },
    { body: '<html>hush</html>', reason: 'answers with a body that is not JSON' },
    { body: [], reason: 'answers without a bearer token' },
    { body: { access_token: 'a b hush' }, reason: 'answers without a bearer token' },
    { body: { access_token: 'hush', token_type: 'mac' }, reason: 'answers without a bearer token' },
    { body: { access_token: 'hush', expires_in: 'soon' }, reason: 'answers without a bearer token' },
    {
      body: { access_token: 'hush', expires_in: 0 },
      reason: 'answers with a token that has expired: compare the clocks',
    },
  ])('refuses $body with status $status, and quotes nothing of it', ({ body, status, reason }) => {
    expect(read(body, status)).toEqual({ kind: 'failed', reason });
  });
});
