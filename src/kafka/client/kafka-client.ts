import type { ConnectionOptions } from 'node:tls';
import { Kafka, logLevel, type KafkaConfig, type SASLOptions } from 'kafkajs';
import type { Secret } from '../../lib/secret.ts';
import { BrokerSockets } from './broker-sockets.ts';
import { clientLogEntry, type KafkaLogEntry } from './client-log.ts';
import { registerCodecs } from '../codecs/register.ts';
import { repairKafkajs } from '../kafkajs/repair.ts';

export type { Kafka };

/** What a client is for decides how long it waits, and how long it insists. */
export type KafkaPurpose = 'reading' | 'writing' | 'admin';

export interface KafkaOptions {
  readonly purpose: KafkaPurpose;
  /** `host:port` each; kafkajs can't read an IPv6 address. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Asked for each connection, so that what was renewed counts from the next one on. Undefined: in clear. */
  readonly tls?: (() => KafkaTls) | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** What kafkajs says while it works. What matters is told by our own events. */
  readonly log: (entry: KafkaLogEntry) => void;
}

/** PEM texts. */
export interface KafkaTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  /** Asked for each authentication, so that a rotated password counts from the next one on. */
  readonly password: () => Secret;
}

/**
 * A repaired kafkajs client: the only way to make one. Disposing it destroys the sockets that its consumers, producers
 * and admins have left behind; it comes after their `disconnect`.
 */
export function createKafka(options: KafkaOptions): Kafka & Disposable {
  repairKafkajs();
  registerCodecs();
  const { brokers, clientId, tls, sasl, log } = options;
  const sockets = new BrokerSockets(tls === undefined ? 'clear' : 'tls');
  const kafka = new Kafka({
    ...requestPolicies[options.purpose],
    brokers: [...brokers],
    clientId,
    connectionTimeout: 5_000,
    authenticationTimeout: 10_000,
    logLevel: logLevel.INFO,
    logCreator: () => (said) => {
      const entry = clientLogEntry(said);
      if (entry !== undefined) log(entry);
    },
    socketFactory: sockets.open,
    ...(tls === undefined ? {} : { ssl: sslOf(tls) }),
    ...(sasl === undefined ? {} : { sasl: saslOf(sasl) }),
  });
  return Object.assign(kafka, { [Symbol.dispose]: () => sockets[Symbol.dispose]() });
}

/**
 * A reader finds a dead broker by its timeout; a write may take the 10 s that the brokers have to replicate it; who asks
 * the cluster something says soon that it does not answer, and asks again. A consumer's or producer's own `retry` takes
 * the place of this one, so those settings repeat it.
 */
const requestPolicies: Readonly<Record<KafkaPurpose, Pick<KafkaConfig, 'requestTimeout' | 'retry'>>> = {
  reading: { requestTimeout: 5_000, retry: { retries: 10, initialRetryTime: 100, maxRetryTime: 2_000 } },
  writing: { requestTimeout: 15_000, retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 5_000 } },
  admin: { requestTimeout: 5_000, retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 } },
};

/** Read anew for each connection. The rest is said although it is Node's default, which a flag of Node's can change. */
function sslOf(tls: () => KafkaTls): ConnectionOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    get ca() {
      return tls().ca;
    },
    get cert() {
      return tls().cert;
    },
    get key() {
      return tls().key;
    },
  };
}

/** kafkajs keeps this object, and reads it anew for each authentication. */

function saslOf({ mechanism, username, password }: KafkaSasl): SASLOptions {
  return {
    mechanism,
    username,
    get password() {
      return password().reveal();
    },
  };
}
