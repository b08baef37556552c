import type { Logger } from 'pino';
import {
  createKafka,
  type Kafka,
  type KafkaOptions,
  type KafkaPurpose,
  type KafkaTls,
} from '../kafka/client/kafka-client.ts';
import { systemClock } from '../lib/clock.ts';
import { initialKafkaCredentials, type KafkaCredentials, type Settings } from '../settings.ts';
import { createSampledWarnings } from '../telemetry/events/sampled-warnings.ts';

/** The credentials in use. They are read again for each connection and each authentication. */
export interface CurrentCredentials {
  readonly current: KafkaCredentials;
}

/** The part of a logger that receives a client's messages. */
type ClientLogger = Pick<Logger, 'debug' | 'warn'>;

/** Discards the messages. Commands print failed requests themselves, and so need not load pino. */
export const silentLogger: ClientLogger = { debug: () => undefined, warn: () => undefined };

/** Creates a client with the connection settings. Its log messages become `kafka.client_log`. */
export function createClient(
  purpose: KafkaPurpose,
  { kafka }: Settings,
  logger: ClientLogger,
  /** Defaults to the credentials that were read at start. Pass a watch to use changed files. */
  credentials: CurrentCredentials = { current: initialKafkaCredentials(kafka) },
): Kafka & Disposable {
  const { brokers, clientId, tls, sasl } = kafka;
  return createKafka({
    purpose,
    brokers,
    clientId,
    tls: tls && (() => pemOf(credentials.current)),
    sasl: sasl && {
      mechanism: sasl.mechanism,
      username: sasl.username,
      password: () => credentials.current.password ?? sasl.password.value,
    },
    log: relayTo(logger),
  });
}

function pemOf({ certificateAuthorities, clientCertificate }: KafkaCredentials): KafkaTls {
  return { ca: certificateAuthorities, cert: clientCertificate?.chain, key: clientCertificate?.key.reveal() };
}

/** Samples the client's warnings. Our own events cover everything that an operator must know. */
function relayTo(logger: ClientLogger): KafkaOptions['log'] {
  const warn = createSampledWarnings(logger, systemClock);
  return ({ level, message, details }) => {
    const line = { event: 'kafka.client_log', message, details };
    if (level === 'warn') warn(line.event, line);
    else logger.debug(line);
  };
}
