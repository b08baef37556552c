import type { Environment } from '../../../src/settings.ts';
import { environmentOf, type TopicNames } from '../../support/service/topic-names.ts';
import { owners } from '../subscribers/certificates.ts';

/** Short delays: a delivery passes through all tiers while the user watches. */
export const delays = ['1s', '2s', '3s'] as const;

/**
 * The number of failed attempts at the endpoint that always fails, so that its circuit opens with the last of them. A circuit
 * that opened earlier would change the delays.
 */
export const circuitFailures = owners.sandbox.completed * (delays.length + 1);

interface ServiceEnvironmentOptions {
  readonly brokers: readonly string[];
  readonly names: TopicNames;
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
    ...environmentOf(names, brokers),
    RESULTS_TOPIC: names.results,
    DELIVERY_TIMEOUT: '5s',
    DELIVERY_CONNECT_TIMEOUT: '3s',
    DELIVERY_ALLOWED_PORTS: ports.join(','),
    DELIVERY_CA_FILE: authorityFile,
    CIRCUIT_FAILURES: String(circuitFailures),
    HTTP_PORT: String(httpPort),
    SHUTDOWN_GRACE: '10s',
  };
}
