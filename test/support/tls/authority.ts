import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { der } from './der.ts';

/** A certificate with its key, as PEM, for a TLS server or client. */
export interface Identity {
  readonly certificate: string;
  /** PKCS#8. */
  readonly key: string;
}

/** A temporary certificate authority. Its `certificate` goes to those who trust it. */
export interface Authority {
  readonly certificate: string;
  issue(options?: CertificateOptions): Identity;
  /** Creates an authority whose certificate is issued by this one. */
  createIntermediate(name: string): Authority;
}

interface CertificateOptions {
  /** The host names and IP addresses; `localhost` and `127.0.0.1` when left out. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** The size of an RSA key; the key is of P-256 when left out. */
  readonly rsaBits?: number;
}

export function createAuthority(name = 'Test authority'): Authority {
  const keys = createKeys();
  return authorityWith(name, keys, { issuer: name, signer: keys.privateKey });
}

function authorityWith(
  name: string,
  keys: KeyPair,
  parent: { readonly issuer: string; readonly signer: KeyObject },
): Authority {
  return {
    certificate: write({ subject: name, keys, ...parent, extensions: authorityUse() }),
    issue(options = {}) {
      const leaf = createKeys(options.rsaBits);
      return identity(leaf, write({ ...described(options), issuer: name, keys: leaf, signer: keys.privateKey }));
    },
    createIntermediate: (intermediate) =>
      authorityWith(intermediate, createKeys(), { issuer: name, signer: keys.privateKey }),
  };
}

/** Creates a self-signed certificate. */
export function createSelfSigned(options: CertificateOptions = {}): Identity {
  const keys = createKeys();
  const description = described(options);
  return identity(keys, write({ ...description, issuer: description.subject, keys, signer: keys.privateKey }));
}

const hourMs = 3_600_000;

/** Returns options for a certificate that expired a day ago. */
export function expired(): Pick<CertificateOptions, 'notBefore' | 'notAfter'> {
  return { notBefore: new Date(Date.now() - 48 * hourMs), notAfter: new Date(Date.now() - 24 * hourMs) };
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function createKeys(rsaBits?: number): KeyPair {
  if (rsaBits !== undefined) return generateKeyPairSync('rsa', { modulusLength: rsaBits });
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function identity(keys: KeyPair, certificate: string): Identity {
  return { certificate, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

interface Description {
  readonly subject: string;
  readonly extensions: readonly Buffer[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

function described({ names = ['localhost', '127.0.0.1'], ...validity }: CertificateOptions): Description {
  return { subject: names[0] ?? 'unnamed', extensions: leafUse(names), ...validity };
}

/** Writes a certificate: the signed part, the algorithm and the signature (RFC 5280, 4.1). */
function write(
  certificate: Description & { readonly issuer: string; readonly keys: KeyPair; readonly signer: KeyObject },
): string {
  const { notBefore = new Date(Date.now() - hourMs), notAfter = new Date(Date.now() + 90 * 24 * hourMs) } = certificate;
  const ecdsaWithSha256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
  const version3 = der.explicit(0, der.integer(2));
  const signed = der.sequence(
    version3,
    der.longInteger(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    commonName(certificate.issuer),
    der.sequence(der.time(notBefore), der.time(notAfter)),
    commonName(certificate.subject),
    certificate.keys.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...certificate.extensions)),
  );
  const signature = der.bitString(sign('sha256', signed, certificate.signer));
  return pem(der.sequence(signed, ecdsaWithSha256, signature));
}

function commonName(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectIdentifier('2.5.4.3'), der.text(name))));
}

function authorityUse(): readonly Buffer[] {
  const keyCertSign = der.bitString(Buffer.of(0b0000_0100), 2);
  return [critical('2.5.29.19', der.sequence(der.true())), critical('2.5.29.15', keyCertSign)];
}

function leafUse(names: readonly string[]): readonly Buffer[] {
  const serverAndClient = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'].map(der.objectIdentifier);
  return [
    extension('2.5.29.37', der.sequence(...serverAndClient)),
    extension('2.5.29.17', der.sequence(...names.map(subjectAlternativeName))),
  ];
}

function subjectAlternativeName(name: string): Buffer {
  return isIP(name) === 0 ? der.implicit(2, Buffer.from(name, 'ascii')) : der.implicit(7, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function groupsOf(half: string): readonly string[] {
  return half === '' ? [] : half.split(':');
}

function extension(identifier: string, value: Buffer): Buffer {
  return der.sequence(der.objectIdentifier(identifier), der.octetString(value));
}

function critical(identifier: string, value: Buffer): Buffer {
  return der.sequence(der.objectIdentifier(identifier), der.true(), der.octetString(value));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
