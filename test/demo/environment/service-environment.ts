import type { Environment } from '../../../src/settings.ts';
import { owners } from '../subscribers/owners.ts';

/** The topics and groups of one run. Their names are unique, so that they can be deleted afterwards. */
export interface Names {
  /** The beginning of all names. */
  readonly prefix: string;
  readonly completed: string;
  readonly expired: string;
  readonly configurations: string;
  readonly tiers: readonly string[];
  readonly deadLetters: string;
  readonly results: string;
  readonly group: string;
}

/** Short delays: a delivery passes through all tiers while the user watches. */
export const delays = ['1s', '2s', '3s'] as const;

/**
 * The number of failed attempts at the endpoint that always fails, so that its circuit opens with the last of them. A circuit
 * that opened earlier would change the delays.
 */
export const circuitFailures = owners.sandbox.completed * (delays.length + 1);

export function namesFor(prefix: string): Names {
  return {
    prefix,
    completed: `${prefix}.certificates.completed`,
    expired: `${prefix}.certificates.expired`,
    configurations: `${prefix}.configurations`,
    tiers: delays.map((delay) => `${prefix}.retry.${delay}`),
    deadLetters: `${prefix}.dead-letter`,
    results: `${prefix}.results`,
    group: `${prefix}.group`,
  };
}

interface ServiceEnvironmentOptions {
  readonly brokers: readonly string[];
  readonly names: Names;
  /** The PEM file of the authority that issued the certificates of the endpoints. */
  readonly authorityFile: string;
  /** The ports of the endpoints. The service may connect to no others. */
  readonly ports: readonly number[];
  /** The port for metrics and probes. */
  readonly httpPort: number;
}

/** Returns the whole environment of the service. It inherits no variable of this process. */
export function serviceEnvironment({
  brokers,
  names,
  authorityFile,
  ports,
  httpPort,
}: ServiceEnvironmentOptions): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: names.group,
    CERTIFICATE_TOPICS: `${names.completed}=certificate_completed,${names.expired}=certificate_expired`,
    WEBHOOK_CONFIGURATIONS: `kafka:${names.configurations}`,
    RETRY_TOPIC_PREFIX: `${names.prefix}.retry`,
    RETRY_DELAYS: delays.join(','),
    DEAD_LETTER_TOPIC: names.deadLetters,
    RESULTS_TOPIC: names.results,
    DELIVERY_TIMEOUT: '5s',
    DELIVERY_CONNECT_TIMEOUT: '3s',
    DELIVERY_ALLOWED_PORTS: ports.join(','),
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_CA_FILE: authorityFile,
    CIRCUIT_FAILURES: String(circuitFailures),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(httpPort),
    SHUTDOWN_GRACE: '10s',
  };
}
