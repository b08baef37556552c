import { createDecipheriv } from 'node:crypto';
import { anything, asyncProperty, assert as assertProperty, dictionary, integer, jsonValue, string } from 'fast-check';
import { CompactEncrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { PartLocation } from '../../../src/webhooks/sealing/jwe-header.ts';
import { sealingKeyOf, type KeySet } from '../../../src/webhooks/sealing/key-set.ts';
import { openPart, type OpenedPart } from '../../../src/webhooks/sealing/open-part.ts';
import { sealPart } from '../../../src/webhooks/sealing/seal-document.ts';
import { authentications } from '../../support/builders.ts';
import { curveJwk, keySet, publicHalf, rsaJwk, secretJwk, type Jwk } from '../../support/keys.ts';

const location: PartLocation = { part: 'auth', _id: 'a', url: 'https://hooks.example.com/path' };
const binding = { part: 'auth', _id: 'a', origin: 'https://hooks.example.com' };
const auth = authentications.bearer_token;
const secret = secretJwk('secret');

const everyMethod: readonly (readonly [string, Jwk])[] = [
  ['A256KW', secret],
  ['A256GCM', { ...secret, alg: 'dir' }],
  ['A128GCM', secretJwk('short', { k: 'AAECAwQFBgcICQoLDA0ODw' })],
  ['RSA-OAEP-256', rsaJwk('rsa')],
  ['ECDH-ES+A256KW', curveJwk('p256', 'P-256')],
  ['ECDH-ES', { ...curveJwk('x25519', 'X25519'), alg: 'ECDH-ES' }],
];

function seal(value: unknown, keys: KeySet): Promise<string> {
  const key = sealingKeyOf(keys);
  if (key === undefined) throw new Error('No key of these seals.');
  return sealPart(value, binding, key);
}

/** Seals as another program would, with other header parameters. */
async function sealElsewhere(header: object, text = JSON.stringify(auth)): Promise<string> {
  const key = Buffer.from(secret.k ?? '', 'base64url');
  const whole = { alg: 'A256KW', enc: 'A256GCM', ...header };
  return new CompactEncrypt(Buffer.from(text, 'utf8')).setProtectedHeader(whole).encrypt(key);
}

/** Builds a JWE with this header and meaningless content. */
function withHeader(header: object): string {
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), 'AAAA', 'AAAA', 'AAAA', 'AAAA'].join('.');
}

function problemOf(opened: OpenedPart): string | undefined {
  return opened.kind === 'closed' ? opened.problem : undefined;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= '.split('');

describe.each(everyMethod)('a part that is sealed by %s', (method, jwk) => {
  const keys = keySet(jwk);

  it('opens to the value that was sealed', async () => {
    await assertProperty(
      asyncProperty(dictionary(string({ unit: 'binary' }), jsonValue()), async (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(await openPart(await seal(plain, keys), location, keys)).toEqual({ kind: 'opened', value: plain });
      }),
      { numRuns: 20 },
    );
  });

  it('names its method and its key, and holds no content in clear', async () => {
    const jwe = await seal(auth, keys);
    const header: unknown = JSON.parse(Buffer.from(jwe.split('.')[0] ?? '', 'base64url').toString());
    const named = method.endsWith('GCM') ? { alg: 'dir', enc: method } : { alg: method, enc: 'A256GCM' };
    expect(header).toMatchObject({ ...named, kid: jwk.kid, webhook: binding });
    expect(Buffer.from(jwe, 'base64url').toString('latin1')).not.toContain('Zt7mQ1x9');
    expect(await seal(auth, keys)).not.toBe(jwe);
  });

  it('is refused when any of its characters is changed', async () => {
    const jwe = await seal(auth, keys);
    for (let at = 0; at < jwe.length; at += 1) {
      const others = alphabet.filter((character) => character !== jwe[at]);
      const other = others[(at * 31) % others.length] ?? '';
      const changed = jwe.slice(0, at) + other + jwe.slice(at + 1);
      expect((await openPart(changed, location, keys)).kind, `${at}: ${jwe[at]} became ${other}`).toBe('closed');
    }
  });

  it('is refused when its last character is changed to any other', async () => {
    const jwe = await seal(auth, keys);
    for (const last of alphabet.filter((character) => character !== jwe.at(-1))) {
      expect((await openPart(jwe.slice(0, -1) + last, location, keys)).kind).toBe('closed');
    }
  });

  it('is refused without its key, which is reported as missing', async () => {
    const jwe = await seal(auth, keys);
    const problem = `is sealed by ${method} with the key "${jwk.kid}", and WEBHOOK_KEYS_FILE holds no such key`;
    expect(await openPart(jwe, location, keySet(secretJwk('other')))).toEqual({
      kind: 'closed',
      problem,
      missing: 'key',
    });
  });
});

describe('a sealed part', () => {
  it('is a standard JWE, which plain AES-GCM can decrypt', async () => {
    const jwe = await seal(auth, keySet({ ...secret, alg: 'dir' }));
    const [header = '', , ...segments] = jwe.split('.');
    const [iv = Buffer.of(), text = Buffer.of(), tag = Buffer.of()] = segments.map((segment) =>
      Buffer.from(segment, 'base64url'),
    );
    const key = Buffer.from(secret.k ?? '', 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(header)).setAuthTag(tag);
    expect(JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString())).toEqual(auth);
  });

  it('from another program opens with and without a key id', async () => {
    const keys = keySet(secretJwk('first'), secretJwk(), secret);
    for (const header of [{ kid: 'secret' }, {}, { typ: 'JOSE', cty: 'json', kid: 'secret' }, { enc: 'A128GCM' }]) {
      expect(await openPart(await sealElsewhere(header), location, keys)).toEqual({ kind: 'opened', value: auth });
    }
  });

  it('opens only with a key of its id, also when several keys share the id', async () => {
    const jwe = await sealElsewhere({ kid: 'old' });
    expect(problemOf(await openPart(jwe, location, keySet(secret)))).toContain('holds no such key');
    const keys = keySet(secretJwk('old'), { ...secret, kid: 'old' });
    expect((await openPart(jwe, location, keys)).kind).toBe('opened');
  });

  it('reports a missing key when the key with its id does not open it', async () => {
    const problem = 'it was changed, or sealed with another key';
    expect(await openPart(await sealElsewhere({ kid: 'x' }), location, keySet(secretJwk('x')))).toEqual({
      kind: 'closed',
      problem: `can't be opened with the key "x": ${problem}`,
      missing: 'key',
    });
    expect(problemOf(await openPart(await sealElsewhere({}), location, keySet(secretJwk('x'))))).toBe(
      `can't be opened with any key of WEBHOOK_KEYS_FILE: ${problem}`,
    );
  });

  it('reports a missing private half when the set holds only the public one', async () => {
    const rsa = rsaJwk('rsa');
    const jwe = await seal(auth, keySet(publicHalf(rsa)));
    expect(await openPart(jwe, location, keySet(publicHalf(rsa)))).toMatchObject({
      problem: 'is sealed by RSA-OAEP-256 with the key "rsa", which WEBHOOK_KEYS_FILE only seals with',
      missing: 'private half',
    });
    expect((await openPart(jwe, location, keySet(rsa))).kind).toBe('opened');
  });

  const algorithms =
    'must be sealed by alg dir, A256KW, RSA-OAEP-256, ECDH-ES, ECDH-ES+A256KW and enc A256GCM, A128GCM';

  it.each<readonly [string, object, string]>([
    ['RSA with SHA-1', { alg: 'RSA-OAEP', enc: 'A256GCM' }, algorithms],
    ['RSA with PKCS #1 v1.5', { alg: 'RSA1_5', enc: 'A256GCM' }, algorithms],
    ['a password', { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2s: 'AAAA', p2c: 1e9 }, algorithms],
    ['a short wrapping key', { alg: 'A128KW', enc: 'A256GCM' }, algorithms],
    ['no encryption', { alg: 'none', enc: 'A256GCM' }, algorithms],
    ['a name that every object has', { alg: 'constructor', enc: '__proto__' }, algorithms],
    ['CBC', { alg: 'dir', enc: 'A256CBC-HS512' }, algorithms],
    ['no content encryption', { alg: 'dir' }, algorithms],
    [
      'critical parameters',
      { alg: 'dir', enc: 'A256GCM', crit: ['exp'], exp: 1 },
      'has header parameters that are critical and not understood',
    ],
    ['an id that is no string', { alg: 'dir', enc: 'A256GCM', kid: 7 }, 'has a kid that is no string'],
  ])('is refused with %s', async (_, header, problem) => {
    expect(await openPart(withHeader(header), location, keySet(secret))).toEqual({ kind: 'closed', problem });
  });

  it('is refused when it is compressed, even with the right key', async () => {
    const jwe = await sealElsewhere({ zip: 'DEF' });
    expect(problemOf(await openPart(jwe, location, keySet(secret)))).toBe('must not be compressed before it is sealed');
  });

  it.each(['[]', 'null', '"text"', '7', ' ', '{', '\ufeff{}', '{"token":"\u0000'])(
    'is refused when its content is not an object, without quoting it: %j',
    async (text) => {
      const opened = await openPart(await sealElsewhere({ kid: 'secret' }, text), location, keySet(secret));
      expect(opened).toEqual({ kind: 'closed', problem: 'is sealed, and what is inside is not the JSON of an object' });
    },
  );

  it.each(['', 'text', 'a.b.c.d', 'a.b.c.d.e', 'a.b.c.d.e.f', '....', `${'A'.repeat(66_000)}.AA.AA.AA.AA`])(
    'is refused when it is not a JWE in compact form',
    async (text) => {
      expect(problemOf(await openPart(text, location, keySet(secret)))).toBe(
        'must be an object, or a JWE in compact form',
      );
    },
  );

  it('never makes openPart reject', async () => {
    await assertProperty(
      asyncProperty(anything(), string(), integer(), async (header, text, at) => {
        const jwe = withHeader({ alg: 'A256KW', enc: 'A256GCM', ...Object(header) });
        const position = Math.abs(at) % jwe.length;
        for (const one of [jwe, text, jwe.slice(0, position) + text + jwe.slice(position)]) {
          expect((await openPart(one, location, keySet(secret))).kind).toBe('closed');
        }
      }),
    );
  });
});
