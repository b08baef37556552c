import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../lib/secret.ts';
import { parseKeySet } from '../../webhooks/sealing/key-set.ts';
import { kindOf, type Kind } from './kind.ts';

export const password: Kind<Secret> = kindOf('a non-empty value', (text) =>
  text === '' ? undefined : new Secret(text),
);

/** PEM. Text between the certificates is kept: bundles name each certificate there. */
export const certificates: Kind<string> = kindOf('a PEM file with one or more X.509 certificates', (text) => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.match(/-----BEGIN /g)?.length;
  return blocks.length === begun && blocks.every((pem) => succeeds(() => new X509Certificate(pem))) ? text : undefined;
});

/** The one kind whose variables may name a folder, because authorities overlap while one is replaced. */
export const authorities: Kind<string> = {
  ...certificates,
  expected: `${certificates.expected}, or a folder of such files that end in \`.crt\` or \`.pem\``,
};

export const privateKey: Kind<Secret> = kindOf('a PEM file with an unencrypted private key', (text) =>
  succeeds(() => createPrivateKey(text)) ? new Secret(text) : undefined,
);

/** A JWK set (RFC 7517, section 5). */
export const keySet: Kind<Secret> = {
  expected: 'a JWK set (RFC 7517) with at least one key for sealing or opening',
  parse: (text) => {
    const parsed = parseKeySet(text);
    return parsed.kind === 'keys'
      ? { kind: 'value', value: new Secret(text) }
      : { kind: 'wrong', expected: `${keySet.expected}, but ${parsed.problems.join(', and ')}` };
  },
};

/** Returns true if the first certificate of the chain was issued for the key. */
export function isKeyOf(certificateChain: string, key: Secret): boolean {
  return new X509Certificate(certificateChain).checkPrivateKey(createPrivateKey(key.reveal()));
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
