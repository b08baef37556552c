import type { Secret } from '../../lib/secret.ts';

export interface Tokens {
  /** Rejects if there is no valid one. */
  token(): Promise<Secret>;
  refused(token: Secret): void;
}

export interface KafkaLogEntry {
  readonly level: 'debug' | 'warn';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Decides the timeouts and retries of a client. */
export type KafkaPurpose = 'reading' | 'writing' | 'admin';

export interface KafkaOptions {
  readonly purpose: KafkaPurpose;
  /** `host:port` each, with an IPv6 address in brackets. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Called for each connection, so renewed files are used from the next one on. Undefined for connections in clear. */
  readonly tls?: (() => KafkaTls) | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Receives the log of the client. Our own events cover everything that an operator must know. */
  readonly log: (entry: KafkaLogEntry) => void;
}

/** PEM texts. */
export interface KafkaTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export type KafkaSasl = KafkaPassword | KafkaOAuth;

interface KafkaOAuth {
  readonly mechanism: 'oauthbearer';
  /** Asked for each authentication. All clients should share them. */
  readonly tokens: Tokens;
}

export interface KafkaPassword {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  /** Called for each authentication, so a rotated password is used from the next one on. */
  readonly password: () => Secret;
}
