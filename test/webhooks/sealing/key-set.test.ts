import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeKid, parseKeySet, sealingKeyOf } from '../../../src/webhooks/sealing/key-set.ts';
import { curveJwk, keySet, keySetText, publicHalf, rsaJwk, secretJwk, type Jwk } from '../../support/keys.ts';

const rsa = rsaJwk('rsa');
const p256 = curveJwk('p256', 'P-256');
const x25519 = curveJwk('x25519', 'X25519');
const secret = secretJwk('secret');
const short = secretJwk('short', { k: 'AAECAwQFBgcICQoLDA0ODw' });

function problemsOf(text: string): readonly string[] {
  const parsed = parseKeySet(text);
  return parsed.kind === 'unusable' ? parsed.problems : [];
}

describe('a set of keys', () => {
  it.each<readonly [string, Jwk, readonly string[]]>([
    ['32 bytes', secret, ['A256KW', 'A256GCM']],
    ['32 bytes to wrap with', { ...secret, alg: 'A256KW' }, ['A256KW']],
    ['32 bytes to use directly', { ...secret, alg: 'dir' }, ['A256GCM']],
    ['32 bytes for the content', { ...secret, alg: 'A256GCM' }, ['A256GCM']],
    ['16 bytes', short, ['A128GCM']],
    ['an RSA key', rsa, ['RSA-OAEP-256']],
    ['an RSA key with its use', { ...rsa, use: 'enc', alg: 'RSA-OAEP-256' }, ['RSA-OAEP-256']],
    ['a P-256 key', p256, ['ECDH-ES+A256KW', 'ECDH-ES']],
    ['a P-384 key', curveJwk('p384', 'P-384'), ['ECDH-ES+A256KW', 'ECDH-ES']],
    ['a P-521 key', curveJwk('p521', 'P-521'), ['ECDH-ES+A256KW', 'ECDH-ES']],
    ['an X25519 key', { ...x25519, alg: 'ECDH-ES' }, ['ECDH-ES']],
    ['a public key', publicHalf(rsa), ['RSA-OAEP-256']],
  ])('may hold %s', (_, jwk, methods) => {
    expect(keySet(jwk)).toMatchObject([{ kid: jwk.kid, methods }]);
  });

  it('keeps its order, and takes keys without an id', () => {
    expect(keySet(secretJwk('b'), secretJwk(), secretJwk('a')).map(({ kid }) => kid)).toEqual(['b', undefined, 'a']);
  });

  it('may hold keys for signatures, which are skipped', () => {
    const signing = [
      { ...rsa, use: 'sig' },
      { ...p256, key_ops: ['sign'] },
    ];
    expect(keySet(...signing, secret)).toMatchObject([{ kid: 'secret' }]);
    expect(problemsOf(keySetText(...signing))).toEqual(['it holds no key that seals or opens']);
  });

  it.each<readonly [string, Jwk, string]>([
    ['of an unknown type', { kty: 'AKP', kid: 'x' }, 'key 1 (kid "x") has a kty other than oct, RSA, EC and OKP'],
    ['without a type', { kid: 'x' }, 'key 1 (kid "x") is no JWK: kty must be as RFC 7517 has it'],
    ['without its value', { kty: 'oct' }, 'key 1 has a k that is not 32 or 16 bytes in base64url'],
    ['of an unsupported length', { kty: 'oct', k: 'AAAA' }, 'key 1 has a k that is not 32 or 16 bytes in base64url'],
    ['in base64', { kty: 'oct', k: `${'A'.repeat(42)}+=` }, 'key 1 has a k that is not 32 or 16 bytes in base64url'],
    ['for another algorithm', { ...short, alg: 'A128KW' }, 'key 1 (kid "short") has an alg other than A128GCM, dir'],
    ['for RSA-OAEP with SHA-1', { ...rsa, alg: 'RSA-OAEP' }, 'key 1 (kid "rsa") has an alg other than RSA-OAEP-256'],
    [
      'whose halves do not belong together',
      { ...curveJwk('other', 'P-256'), ...publicHalf(p256) },
      'key 1 (kid "p256") is not complete, or has a value that is wrong',
    ],
    ['without its values', { kty: 'EC', kid: 'x' }, 'key 1 (kid "x") is not complete, or has a value that is wrong'],
    ['that is weak', rsaJwk('weak', 1024), 'key 1 (kid "weak") has fewer than 2048 bits'],
    [
      'on an unsupported curve',
      curveJwk('k1', 'secp256k1'),
      'key 1 (kid "k1") has a crv other than P-256, P-384, P-521 and X25519',
    ],
    [
      'that may neither seal nor open',
      { ...secret, key_ops: ['deriveBits'] },
      'key 1 (kid "secret") has key_ops that let it neither seal nor open',
    ],
  ])('is refused with a key %s', (_, jwk, problem) => {
    expect(problemsOf(keySetText(jwk))).toEqual([problem]);
  });

  it('is refused with a problem for every unusable key, and no key material', () => {
    const wrong = [secretJwk('one', { alg: 'HS256' }), secret, { ...rsaJwk('other'), ...publicHalf(rsa), kid: 'two' }];
    const problems = problemsOf(keySetText(...wrong));
    expect(problems.map((problem) => problem.slice(0, 16))).toEqual(['key 1 (kid "one"', 'key 3 (kid "two"']);
    const values = wrong.flatMap(({ k, n, d }) => [k, n, d]).filter((value) => value !== undefined);
    expect(values.filter((value) => problems.join().includes(value))).toEqual([]);
  });

  it.each([
    ['', 'it is not a JSON object with a list of keys'],
    ['[]', 'it is not a JSON object with a list of keys'],
    ['{"keys":{}}', 'it is not a JSON object with a list of keys'],
    [JSON.stringify(secret), 'it is not a JSON object with a list of keys'],
    ['{"keys":[]}', 'it holds no key that seals or opens'],
    ['{"keys":[null]}', 'key 1 is no JWK: it is no object'],
    [keySetText(...Array.from({ length: 101 }, () => secret)), 'it holds more than 100 keys'],
  ])('is refused when it is not a set of usable keys: %s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it('prints no key material', () => {
    const printed = inspect(keySet(secret, rsa), { depth: 9, showHidden: true });
    for (const value of [secret.k, rsa.d, rsa.n]) expect(printed).not.toContain(value);
  });
});

describe('the key that seals', () => {
  it('is the first one that can', () => {
    const retired = { ...secretJwk('retired'), key_ops: ['decrypt', 'unwrapKey'] };
    const keys = keySet(retired, publicHalf(p256), secret);
    expect(sealingKeyOf(keys)?.kid).toBe('p256');
    expect(sealingKeyOf(keySet(retired))).toBeUndefined();
  });

  it('is described by its id on one line of bounded length', () => {
    expect(describeKid('a\n"b"')).toBe(String.raw`"a\n\"b\""`);
    expect(describeKid('x'.repeat(1000))).toHaveLength(102);
  });
});
