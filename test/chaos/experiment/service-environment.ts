import type { Environment } from '../../../src/settings.ts';
import { delays, type Names } from './names.ts';
import { deliveryIdHeader } from '../receiver/messages.ts';

/** The session timeout of both groups. Short, so that a fault can outlast a session in little time. */
export const sessionTimeoutMs = 6000;
/** Concurrent requests of one instance. */
export const maxInFlight = 64;

/**
 * Returns the environment variables of all instances. Timeouts are long because service, endpoints and brokers share a
 * few cores.
 */
export function environmentFor(names: Names, brokers: readonly string[], authorityFile: string): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: names.group,
    KAFKA_SESSION_TIMEOUT: `${sessionTimeoutMs}ms`,
    CERTIFICATE_TOPICS: `${names.completed}=certificate_completed`,
    CERTIFICATE_START: 'earliest',
    WEBHOOK_CONFIGURATIONS: `kafka:${names.configurations}`,
    RETRY_TOPIC_PREFIX: names.tierPrefix,
    RETRY_DELAYS: delays.join(','),
    DEAD_LETTER_TOPIC: names.deadLetters,
    RESULTS_TOPIC: names.results,
    DELIVERY_ID_HEADER: deliveryIdHeader,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_ALLOWED_PORTS: '1-65535',
    DELIVERY_CA_FILE: authorityFile,
    DELIVERY_TIMEOUT: '15s',
    DELIVERY_CONNECT_TIMEOUT: '10s',
    DELIVERY_MAX_IN_FLIGHT: String(maxInFlight),
    CIRCUIT_FAILURES: '100000',
    SHUTDOWN_GRACE: '25s',
    LOG_LEVEL: 'warn',
  };
}
