import type { Environment } from '../../../src/settings.ts';

/** The topics and groups of one run, named for it alone, so that a cluster is left as it was found. */
export interface Names {
  /** What all of them begin with. */
  readonly prefix: string;
  readonly completed: string;
  readonly expired: string;
  readonly configurations: string;
  readonly tiers: readonly string[];
  readonly deadLetters: string;
  readonly group: string;
}

/** Short, so that a delivery can run through all of them while somebody looks on. */
export const delays = ['1s', '2s', '3s'] as const;

/** More than the failing endpoints have deliveries in all their attempts: the circuit is another story. */
export const circuitFailures = 100;

export function namesFor(prefix: string): Names {
  return {
    prefix,
    completed: `${prefix}.certificates.completed`,
    expired: `${prefix}.certificates.expired`,
    configurations: `${prefix}.configurations`,
    tiers: delays.map((delay) => `${prefix}.retry.${delay}`),
    deadLetters: `${prefix}.dead-letter`,
    group: `${prefix}.group`,
  };
}

export interface Surroundings {
  readonly brokers: readonly string[];
  readonly names: Names;
  /** PEM file of the authority that vouches for the endpoints. */
  readonly authorityFile: string;
  /** Those of the endpoints: the service may reach no others. */
  readonly ports: readonly number[];
  /** For metrics and probes. */
  readonly httpPort: number;
}

/** All that the service is told; it inherits nothing. */
export function serviceEnvironment({ brokers, names, authorityFile, ports, httpPort }: Surroundings): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: names.group,
    CERTIFICATE_TOPICS: `${names.completed}=certificate_completed,${names.expired}=certificate_expired`,
    WEBHOOK_CONFIGURATIONS: `kafka:${names.configurations}`,
    RETRY_TOPIC_PREFIX: `${names.prefix}.retry`,
    RETRY_DELAYS: delays.join(','),
    DEAD_LETTER_TOPIC: names.deadLetters,
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
