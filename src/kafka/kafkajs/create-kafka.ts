import type { ConnectionOptions } from 'node:tls';
import kafkajs, { logLevel, type Kafka as Kafkajs, type KafkaConfig, type SASLOptions, type LogEntry } from 'kafkajs';
import type { Kafka, KafkaOptions, KafkaPassword, KafkaPurpose, KafkaTls, KafkaLogEntry } from '../client/kafka.ts';
import { BrokerSockets, seedAddress, clientClosed } from './broker-sockets.ts';
import { oauthBearer } from './oauth-bearer.ts';
import { connectCluster, openTopicLog } from './topic-log.ts';
import { createConsumer } from './create-consumer.ts';
import { orderedHeaders } from './repairs/encode-record.ts';
import { loadKafka } from './load.ts';
import { repairKafkajs } from './repair.ts';
import type { Codec } from '../codecs/compression-codec.ts';
import { lz4Codec } from '../codecs/lz4.ts';
import { snappyCodec } from '../codecs/snappy.ts';
import { gzipCodec, zstdCodec } from '../codecs/zlib.ts';

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
    ...(sasl === undefined
      ? {}
      : { sasl: sasl.mechanism === 'oauthbearer' ? oauthBearer(sasl.tokens) : passwordOf(sasl) }),
  });
  return { ...clientOf(kafka), [Symbol.dispose]: () => sockets[Symbol.dispose]() };
}

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

/** Returns an object that kafkajs keeps, and whose password it reads again for each authentication. */
function passwordOf({ mechanism, username, password }: KafkaPassword): SASLOptions {
  return {
    mechanism,
    username,
    get password() {
      return password().reveal();
    },
  };
}

/** Converts a log entry of kafkajs into one of ours. Returns undefined for an entry that is not worth a line. */
export function clientLogEntry({ level, namespace, log }: LogEntry): KafkaLogEntry | undefined {
  if (ignoredMessages.test(log.message)) return undefined;
  const details = detailNames.map((name): [string, unknown] => [name, log[name]]);
  return {
    // kafkajs retries most of what it logs as an error.
    level: level === logLevel.INFO || level === logLevel.DEBUG ? 'debug' : 'warn',
    message: `${namespace}: ${log.message}`,
    details: Object.fromEntries(
      details.filter(([, detail]) => typeof detail === 'string' || typeof detail === 'number'),
    ),
  };
}

/** The only details that may be logged. kafkajs adds whole errors, assignments and stacks, and could add anything. */
const detailNames = [
  'broker',
  'groupId',
  'memberId',
  'topic',
  'partition',
  'error',
  'retryCount',
  'retryTime',
] as const;

/**
 * A consumer with full limits pauses and resumes all the time. A disposed client closes its sockets itself. A response
 * without match is late: its request was abandoned, or its timeout was reported.
 */
const ignoredMessages = new RegExp(`^(?:Pausing|Resuming) fetching|^Response without match|${clientClosed}`, 'v');

/**
 * Registers all of Kafka's compressions in kafkajs, for every client of this process. The gzip of kafkajs has no limit of
 * size. A batch in a compression that is not registered stops the consumer permanently.
 */
export function registerCodecs(): void {
  // Node finds no such names among the exports of the library.
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  Object.assign(CompressionCodecs, {
    [CompressionTypes.GZIP]: () => gzipCodec,
    [CompressionTypes.Snappy]: () => snappyCodec,
    [CompressionTypes.LZ4]: () => lz4Codec,
    [CompressionTypes.ZSTD]: () => zstdCodec,
  } satisfies Readonly<Record<number, () => Codec>>);
}
