import type { Identity } from '../../tls/authority.ts';
import type { Properties } from './broker-properties.ts';

/** An additional listener with its broker properties. */
export interface ExtraListener {
  /** Upper case, and unique in its cluster. */
  readonly name: string;
  readonly protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** The address to listen on and to advertise; 127.0.0.1 when left out. */
  readonly address?: '[::1]';
  readonly properties: Properties;
}

export const ipv6Listener: ExtraListener = { name: 'IPV6', protocol: 'PLAINTEXT', address: '[::1]', properties: {} };

interface TlsOptions {
  readonly identity: Identity;
  /** The PEM certificate of the authority for client certificates; none are required when left out. */
  readonly clientAuthority?: string;
}

export function tlsListener(name: string, options: TlsOptions): ExtraListener {
  return { name, protocol: 'SSL', properties: tls(name, options) };
}

export type Mechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';

interface SaslOptions {
  /** PLAIN when left out. Users of SCRAM are created later, by `setScramPassword`. */
  readonly mechanism?: Mechanism;
  /** The users of PLAIN with their passwords. */
  readonly users?: Readonly<Record<string, string>>;
  /** The certificate for TLS; no TLS when left out. */
  readonly identity?: Identity;
  /** The time after which a connection must authenticate again; never when left out. */
  readonly sessionMs?: number;
}

/** Creates a listener that accepts one SASL mechanism. */
export function saslListener(name: string, options: SaslOptions): ExtraListener {
  const { mechanism = 'PLAIN', users = {}, identity, sessionMs } = options;
  const accounts = Object.entries(users).map(([user, password]) => ` user_${user}="${password}"`);
  const prefix = `listener.name.${name.toLowerCase()}`;
  const own = `${prefix}.${mechanism.toLowerCase()}`;
  return {
    name,
    protocol: identity === undefined ? 'SASL_PLAINTEXT' : 'SASL_SSL',
    properties: {
      [`${prefix}.sasl.enabled.mechanisms`]: mechanism,
      [`${own}.sasl.jaas.config`]: `${loginModules[mechanism]} required${accounts.join('')};`,
      ...(sessionMs === undefined ? {} : { [`${own}.connections.max.reauth.ms`]: sessionMs }),
      ...(identity === undefined ? {} : tls(name, { identity })),
    },
  };
}

interface OAuthOptions {
  /** Where the keys are that tokens are verified with. The broker also needs `allowedUrl` as a flag. */
  readonly keysUrl: string;
  readonly audience: string;
  readonly identity: Identity;
}

const bearer = 'org.apache.kafka.common.security.oauthbearer';

/** Creates a listener that accepts signed tokens (SASL OAUTHBEARER), and closes connections whose token has expired. */
export function oauthListener(name: string, { keysUrl, audience, identity }: OAuthOptions): ExtraListener {
  const prefix = `listener.name.${name.toLowerCase()}`;
  const own = `${prefix}.oauthbearer`;
  return {
    name,
    protocol: 'SASL_SSL',
    properties: {
      [`${prefix}.sasl.enabled.mechanisms`]: 'OAUTHBEARER',
      [`${own}.sasl.jaas.config`]: `${bearer}.OAuthBearerLoginModule required;`,
      [`${own}.sasl.server.callback.handler.class`]: `${bearer}.OAuthBearerValidatorCallbackHandler`,
      [`${own}.sasl.oauthbearer.jwks.endpoint.url`]: keysUrl,
      [`${own}.sasl.oauthbearer.expected.audience`]: audience,
      // Longer than the life of any token, which then bounds the session.
      [`${own}.connections.max.reauth.ms`]: 3_600_000,
      ...tls(name, { identity }),
    },
  };
}

/** The flag of a broker that may get keys from this URL. */
export function allowedUrl(keysUrl: string): string {
  return `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${keysUrl}`;
}

const scramLogin = 'org.apache.kafka.common.security.scram.ScramLoginModule';
const loginModules: Readonly<Record<Mechanism, string>> = {
  PLAIN: 'org.apache.kafka.common.security.plain.PlainLoginModule',
  'SCRAM-SHA-256': scramLogin,
  'SCRAM-SHA-512': scramLogin,
};

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
