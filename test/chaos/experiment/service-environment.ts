import type { Environment } from '../../../src/settings.ts';
import { environmentOf, type TopicNames } from '../../support/service/topic-names.ts';
import { deliveryIdHeader } from '../receiver/messages.ts';
import type { GroupTopic } from '../../support/kafka/lag.ts';

export const partitions = 6;

/** Returns the topics that each group commits. */
export function readsOf({ group, retryGroup, completed, tiers }: TopicNames): readonly GroupTopic[] {
  return [{ group, topic: completed }, ...tiers.map((topic) => ({ group: retryGroup, topic }))];
}

/** The session timeout of both groups. Short, so that a fault can outlast a session in little time. */
export const sessionTimeoutMs = 6000;
/** Concurrent requests of one instance. */
export const maxInFlight = 64;

/**
 * Returns the environment variables of all instances. Timeouts are long because service, endpoints and brokers share a
 * few cores.
 */
export function environmentFor(names: TopicNames, brokers: readonly string[], authorityFile: string): Environment {
  return {
    ...environmentOf(names, brokers),
    KAFKA_SESSION_TIMEOUT: `${sessionTimeoutMs}ms`,
    CERTIFICATE_TOPICS: `${names.completed}=certificate_completed`,
    CERTIFICATE_START: 'earliest',
    RESULTS_TOPIC: names.results,
    DELIVERY_ID_HEADER: deliveryIdHeader,
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
