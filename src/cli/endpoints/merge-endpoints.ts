import type { CircuitState } from '../../flow/circuit.ts';
import { endpointHealths } from '../../flow/endpoint-health.ts';
import type { InstanceEndpoint } from './ask-instances.ts';

/** One endpoint, over all instances that listed it. */
export type MergedEndpoint = Omit<InstanceEndpoint, 'instance'>;

/** The order of severity, the least severe first. */
const circuits: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/**
 * Merges the lists of all instances by configuration. Returns those with the most failures first, then those with the most
 * waiting deliveries.
 *
 * - Circuit and health are the worst ones. Failures are the most of one instance, since the earliest time.
 * - Deliveries in flight and waiting are summed.
 * - Outcome, host and state are those of the instance with the latest outcome.
 */
export function mergeEndpoints(endpoints: Iterable<InstanceEndpoint>): readonly MergedEndpoint[] {
  const merged = new Map<string, MergedEndpoint>();
  const listed = new Set<string>();
  for (const { instance, ...endpoint } of endpoints) {
    // An instance with an IPv4 and an IPv6 address is asked twice.
    const key = JSON.stringify([instance, endpoint.configurationId]);
    if (listed.has(key)) continue;
    listed.add(key);
    const known = merged.get(endpoint.configurationId);
    merged.set(endpoint.configurationId, known === undefined ? endpoint : mergeTwo(known, endpoint));
  }
  return [...merged.values()].toSorted(bySeverity);
}

function mergeTwo(one: MergedEndpoint, other: MergedEndpoint): MergedEndpoint {
  const latest = (other.lastOutcomeAt ?? '') > (one.lastOutcomeAt ?? '') ? other : one;
  return {
    ...latest,
    circuit: worst(circuits, one.circuit, other.circuit),
    health: worst(endpointHealths, one.health, other.health),
    failures: Math.max(one.failures, other.failures),
    failingSince: earliest(one.failingSince, other.failingSince),
    inFlight: one.inFlight + other.inFlight,
    waiting: one.waiting + other.waiting,
    certificateValidUntil: earliest(one.certificateValidUntil, other.certificateValidUntil),
  };
}

function earliest(one: string | undefined, other: string | undefined): string | undefined {
  return [one, other].filter((time) => time !== undefined).toSorted()[0];
}

function worst<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(one) < order.indexOf(other) ? other : one;
}

function bySeverity(one: MergedEndpoint, other: MergedEndpoint): number {
  if (one.failures !== other.failures) return other.failures - one.failures;
  if (one.waiting !== other.waiting) return other.waiting - one.waiting;
  return one.configurationId < other.configurationId ? -1 : 1;
}
