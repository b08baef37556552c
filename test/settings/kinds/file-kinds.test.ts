import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificates, isKeyOf, keySet, password, privateKey } from '../../../src/settings/kinds/file-kinds.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { keySetText, secretJwk } from '../../support/keys.ts';

describe('a file of certificates', () => {
  it('is kept unchanged, including comments between the certificates', () => {
    const bundle = `# First\n${createAuthority('A').certificate}\n# Second\n${createAuthority('B').certificate}`;
    expect(certificates.parse(bundle)).toEqual({ kind: 'value', value: bundle });
  });

  it('is refused if it has no certificate, a damaged one, or anything else', () => {
    const authority = createAuthority();
    const { certificate } = authority;
    const damaged = certificate.replace('MII', 'MIX').replace(/[A-Za-z]{10}/, '');
    for (const text of [
      '',
      'certificate',
      authority.issue().key,
      certificate + damaged,
      certificate + authority.issue().key,
    ]) {
      expect(certificates.parse(text)).toEqual({ kind: 'wrong' });
    }
  });
});

describe('a file of a private key', () => {
  it('has an unencrypted key', () => {
    expect(privateKey.parse(createAuthority().issue().key).kind).toBe('value');
    const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hush' } as const;
    const { privateKey: locked } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: cipher,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    for (const text of [locked, '', createAuthority().certificate]) expect(privateKey.parse(text).kind).toBe('wrong');
  });

  it('is compared with the first certificate of a chain', () => {
    const authority = createAuthority();
    const [own, other] = [authority.issue(), authority.issue()];
    const chain = `# Ours\n${own.certificate}\n${authority.certificate}`;
    expect(isKeyOf(chain, new Secret(own.key))).toBe(true);
    expect(isKeyOf(chain, new Secret(other.key))).toBe(false);
  });
});

describe('a file of a JWK set', () => {
  const expected = 'a JWK set (RFC 7517) with at least one key for sealing or opening';

  it('has at least one key', () => {
    expect(keySet.parse(keySetText(secretJwk())).kind).toBe('value');
    for (const text of ['', '{', '[]', '{"kty":"oct"}', 'null']) {
      const wrong = { kind: 'wrong', expected: `${expected}, but it is not a JSON object with a list of keys` };
      expect(keySet.parse(text)).toEqual(wrong);
    }
  });

  it('is refused with a problem for each wrong key, and without the keys', () => {
    const text = keySetText(secretJwk('short', { k: 'c2VjcmV0' }), secretJwk('good'), { kty: 'RSA' });
    expect(keySet.parse(text)).toEqual({
      kind: 'wrong',
      expected:
        `${expected}, but key 1 (kid "short") has a k that is not 32 or 16 bytes in base64url, ` +
        'and key 3 is not complete, or has a value that is wrong',
    });
  });
});

describe('a password', () => {
  it('is any non-empty text', () => {
    expect(password.parse(' ').kind).toBe('value');
    expect(password.parse('').kind).toBe('wrong');
  });
});
