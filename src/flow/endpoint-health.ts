import type { CircuitState } from './circuit.ts';

/**
 * The health of an endpoint, as its gate sees it. An endpoint that is failing or late is suspect.
 *
 * - `healthy`: none of these.
 * - `paced`: a delivery waits for the webhook's `perMinute` or the learned pace, for `lateAfterMs` in all. That is known when its
 *   wait begins.
 * - `late`: a request has been out, or a delivery has waited for the endpoint's requests in flight, for `lateAfterMs`.
 * - `failing`: the last attempt failed.
 */
export type EndpointHealth = (typeof endpointHealths)[number];

/** All of them, the best first. */
export const endpointHealths = ['healthy', 'paced', 'late', 'failing'] as const;

/** The health of an endpoint whose deliveries wait for its pacer, or for its requests in flight. */
export type EndpointLimit = 'paced' | 'late';

/** The number of endpoints by the state of their circuit, and of those that have failed since their last success. */
export type EndpointCounts = Readonly<Record<CircuitState | 'failing', number>>;
