import type { Logger } from 'pino';
import { createKafka, type Kafka, type KafkaOptions, type KafkaPurpose } from '../kafka/client.ts';
import type { Settings } from '../settings.ts';

/** A client for that purpose, as the settings say. What kafkajs says goes to the log. */
export function createClient(
  purpose: KafkaPurpose,
  { kafka: { brokers, clientId, tls, sasl } }: Settings,
  logger: Logger,
): Kafka & Disposable {
  const certificate = tls?.clientCertificate;
  return createKafka({
    purpose,
    brokers,
    clientId,
    tls: tls && { ca: tls.certificateAuthorities, cert: certificate?.chain, key: certificate?.key.reveal() },
    sasl: sasl && { mechanism: sasl.mechanism, username: sasl.username, password: () => sasl.password.value },
    log: relayTo(logger),
  });
}

function relayTo(logger: Logger): KafkaOptions['log'] {
  return ({ level, message, details }) => logger[level]({ event: 'kafka.said', message, details });
}
