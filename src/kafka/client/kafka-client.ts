import type { ConnectionOptions } from 'node:tls';
import { logLevel, type Kafka, type KafkaConfig, type Mechanism, type SASLOptions } from 'kafkajs';
import type { Secret } from '../../lib/secret.ts';
import { BrokerSockets } from './broker-sockets.ts';
import { clientLogEntry, type KafkaLogEntry } from './client-log.ts';
import { registerCodecs } from '../codecs/register.ts';
import { seedAddress } from './seed-address.ts';
import { oauthBearer, type Tokens } from '../oauth/oauth-bearer.ts';
import { loadKafka } from '../kafkajs/load.ts';
import { repairKafkajs } from '../kafkajs/repair.ts';

export type { Kafka };

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
  /** Receives the log of kafkajs. Our own events cover everything that an operator must know. */
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

/**
 * Creates a repaired kafkajs client. No other code may create one. Disposing it destroys the sockets that its consumers,
 * producers and admins left open, so disconnect those first.
 */
export function createKafka(options: KafkaOptions): Kafka & Disposable {
  repairKafkajs();
  registerCodecs();
  const { brokers, clientId, tls, sasl, log } = options;
  const sockets = new BrokerSockets(tls === undefined ? 'clear' : 'tls');
  const RepairedKafka = loadKafka();
  const kafka = new RepairedKafka({
    ...requestPolicies[options.purpose],
    brokers: brokers.map(seedAddress),
    clientId,
    // In ms. The first bounds the opening of a socket. Both bound the wait for a connection that another request opens.
    connectionTimeout: 5_000,
    authenticationTimeout: 10_000,
    logLevel: logLevel.INFO,
    logCreator: () => (clientEntry) => {
      const entry = clientLogEntry(clientEntry);
      if (entry !== undefined) log(entry);
    },
    socketFactory: sockets.open,
    ...(tls === undefined ? {} : { ssl: sslOf(tls) }),
    ...(sasl === undefined ? {} : { sasl: saslOf(sasl) }),
  });
  return Object.assign(kafka, { [Symbol.dispose]: () => sockets[Symbol.dispose]() });
}

/**
 * Timeouts and retries in ms. A reader notices a dead broker by its request timeout. A write may take the 10 s that the
 * brokers have to replicate it. An admin request fails soon, because its caller reports the failure and retries.
 *
 * The `retry` of a consumer or producer replaces this one as a whole, so those settings repeat it.
 */
const requestPolicies: Readonly<Record<KafkaPurpose, Pick<KafkaConfig, 'requestTimeout' | 'retry'>>> = {
  reading: { requestTimeout: 5_000, retry: { retries: 10, initialRetryTime: 100, maxRetryTime: 2_000 } },
  writing: { requestTimeout: 15_000, retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 5_000 } },
  admin: { requestTimeout: 5_000, retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 } },
};

/**
 * Reads the files again for each connection. The version and the verification are Node's defaults, and are stated
 * because flags of Node can change these.
 */
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

/** Returns an object that kafkajs keeps, and whose password or token it reads again for each authentication. */
function saslOf(sasl: KafkaSasl): SASLOptions | Mechanism {
  return sasl.mechanism === 'oauthbearer' ? oauthBearer(sasl.tokens) : passwordOf(sasl);
}

function passwordOf({ mechanism, username, password }: KafkaPassword): SASLOptions {
  return {
    mechanism,
    username,
    get password() {
      return password().reveal();
    },
  };
}
