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

/** Asked whenever the brokers are to be shown something. */
export interface CurrentCredentials {
  readonly current: KafkaCredentials;
}

/** A client for that purpose, as the settings say. What kafkajs says goes to the log. */
export function createClient(
  purpose: KafkaPurpose,
  { kafka }: Settings,
  logger: Logger,
  /** Those of the settings, as they were at start, unless somebody watches the files. */
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

/** What matters is told by our own events: of the client's warnings one now and then is enough. */
function relayTo(logger: Logger): KafkaOptions['log'] {
  const warnOnce = createSampledWarnings(logger, systemClock);
  return ({ level, message, details }) => {
    const line = { event: 'kafka.client_log', message, details };
    if (level === 'warn') warnOnce(line.event, line);
    else logger.debug(line);
  };
}
