import type { ConnectionOptions } from 'node:tls';
import { logLevel, type Kafka as Kafkajs, type KafkaConfig, type Mechanism, type SASLOptions } from 'kafkajs';
import type { Kafka } from '../client/kafka.ts';
import type { KafkaOptions, KafkaPassword, KafkaPurpose, KafkaSasl, KafkaTls } from '../client/kafka-options.ts';
import { BrokerSockets } from './broker-sockets.ts';
import { clientLogEntry } from './client-log.ts';
import { registerCodecs } from './register-codecs.ts';
import { seedAddress } from './seed-address.ts';
import { oauthBearer } from './oauth-bearer.ts';
import { connectCluster } from './cluster.ts';
import { createConsumer } from './create-consumer.ts';
import { orderedHeaders } from './repairs/encode-record.ts';
import { loadKafka } from './load.ts';
import { repairKafkajs } from './repair.ts';
import { openTopicLog } from './topic-log.ts';

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
  return { ...clientOf(kafka), [Symbol.dispose]: () => sockets[Symbol.dispose]() };
}

/** Returns the port of a client of kafkajs. */
export function clientOf(kafka: Kafkajs): Kafka {
  return {
    admin: () => kafka.admin(),
    producer: (options) => {
      const producer = kafka.producer(options);
      return {
        ...producer,
        send: ({ messages, ...batch }) =>
          producer.send({
            ...batch,
            messages: messages.map((message) => ({ ...message, headers: orderedHeaders(message.headers) })),
          }),
      };
    },
    consumer: (options) => createConsumer(kafka, options),
    openLog: (topic, options) => openTopicLog(kafka, topic, options),
    connectCluster: () => connectCluster(kafka),
  };
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
