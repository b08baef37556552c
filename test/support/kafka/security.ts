import type { Identity } from '../authority.ts';
import type { Properties } from './broker-properties.ts';

/** A listener beside the plain one, with the broker settings that belong to it. */
export interface SecureListener {
  /** Upper case, and unique in its cluster. */
  readonly name: string;
  readonly protocol: 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  readonly properties: Properties;
}

interface TlsOptions {
  readonly identity: Identity;
  /** PEM of the authority whose client certificates are asked for; none are when left out. */
  readonly clientAuthority?: string;
}

export function tlsListener(name: string, options: TlsOptions): SecureListener {
  return { name, protocol: 'SSL', properties: tls(name, options) };
}

/** SASL PLAIN for these users and passwords, over TLS when an identity is given. */
export function saslListener(
  name: string,
  { users, identity }: { readonly users: Readonly<Record<string, string>>; readonly identity?: Identity },
): SecureListener {
  const accounts = Object.entries(users).map(([user, password]) => ` user_${user}="${password}"`);
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  const prefix = `listener.name.${name.toLowerCase()}`;
  return {
    name,
    protocol: identity === undefined ? 'SASL_PLAINTEXT' : 'SASL_SSL',
    properties: {
      [`${prefix}.sasl.enabled.mechanisms`]: 'PLAIN',
      [`${prefix}.plain.sasl.jaas.config`]: `${login}${accounts.join('')};`,
      ...(identity === undefined ? {} : tls(name, { identity })),
    },
  };
}

function tls(name: string, { identity, clientAuthority }: TlsOptions): Properties {
  const prefix = `listener.name.${name.toLowerCase()}.ssl`;
  const trust = { [`${prefix}.truststore.type`]: 'PEM', [`${prefix}.client.auth`]: 'required' };
  return {
    [`${prefix}.keystore.type`]: 'PEM',
    [`${prefix}.keystore.key`]: identity.key,
    [`${prefix}.keystore.certificate.chain`]: identity.certificate,
    ...(clientAuthority === undefined ? {} : { ...trust, [`${prefix}.truststore.certificates`]: clientAuthority }),
  };
}
