import type { Logger } from 'pino';
import { createKafka, type Kafka, type KafkaOptions, type KafkaPurpose } from '../kafka/client.ts';
import { systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings.ts';
import { createWarnings } from '../telemetry/warnings.ts';

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

/** What matters is told by our own events: of the client's warnings one now and then is enough. */
function relayTo(logger: Logger): KafkaOptions['log'] {
  const warnOnce = createWarnings(logger, systemClock);
  return ({ level, message, details }) => {
    const line = { event: 'kafka.said', message, details };
    if (level === 'warn') warnOnce(line.event, line);
    else logger.debug(line);
  };
}
