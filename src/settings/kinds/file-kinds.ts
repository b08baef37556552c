import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../lib/secret.ts';
import { parseKeySet } from '../../webhooks/sealing/key-set.ts';
import { kindOf, type Kind } from './kind.ts';

/** A secret value. All of it counts, spaces included. */
export const password: Kind<Secret> = kindOf('a value that is not empty', (text) =>
  text === '' ? undefined : new Secret(text),
);

/** PEM, the text between the certificates left as it is: bundles name each one there. */
export const certificates: Kind<string> = kindOf('a PEM file of one or more X.509 certificates', (text) => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.match(/-----BEGIN /g)?.length;
  return blocks.length === begun && blocks.every(isCertificate) ? text : undefined;
});

export const privateKey: Kind<Secret> = kindOf('a PEM file of a private key without a passphrase', (text) =>
  succeeds(() => createPrivateKey(text)) ? new Secret(text) : undefined,
);

/** RFC 7517, section 5. */
export const keySet: Kind<Secret> = {
  expected: 'a JWK set (RFC 7517) of at least one key that seals or opens',
  parse: (text) => {
    const parsed = parseKeySet(text);
    return parsed.kind === 'keys'
      ? { kind: 'value', value: new Secret(text) }
      : { kind: 'wrong', expected: `${keySet.expected}, and ${parsed.problems.join(', and ')}` };
  },
};

/** Whether the first certificate of a chain was issued for the key. */
export function isKeyOf(certificateChain: string, key: Secret): boolean {
  return new X509Certificate(certificateChain).checkPrivateKey(createPrivateKey(key.reveal()));
}

function isCertificate(pem: string): boolean {
  return succeeds(() => new X509Certificate(pem));
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
