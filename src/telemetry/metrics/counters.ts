import type { Registry } from 'prom-client';
import { registryFailures } from '../../certificates/registry/answer.ts';
import { countedFields } from '../../certificates/certificate-schema.ts';
import { circuitStates } from '../../flow/circuit.ts';
import { pools } from '../../deliveries/delivery.ts';
import { attemptOutcomes, deferOutcomes } from '../../deliveries/outcome.ts';
import { unansweredEnds } from '../../http/address-history.ts';
import { receiveLimits } from '../../http/tls/received-bytes.ts';
import { deadReasons } from '../../deliveries/settle.ts';
import { recordResults } from '../../pipeline/ports.ts';
import { counter, type LabelSet } from './families.ts';
import { consumedTopics, tierLabels, type KnownTopics } from './known-topics.ts';

export const adminLimits = [
  'connections',
  'connections_per_address',
  'requests_per_connection',
  'head_bytes',
  'request_time',
] as const;
export type AdminLimit = (typeof adminLimits)[number];

export type Counters = ReturnType<typeof createCounters>;

export function createCounters(registry: Registry, known: KnownTopics) {
  return { ...deliveryCounters(registry, known), ...endpointCounters(registry), ...sourceCounters(registry, known) };
}

function deliveryCounters(registry: Registry, known: KnownTopics) {
  const topics = consumedTopics(known);
  return {
    recordsConsumed: counter(registry, {
      name: 'records_consumed_total',
      help: 'Records taken in, from certificate topics and tiers.',
      labels: { topic: topics },
    }),
    recordsSettled: counter(registry, {
      name: 'records_settled_total',
      help: 'Records settled, by what they came to; of several deliveries the first that applies counts.',
      labels: { topic: topics, result: recordResults },
    }),
    recordsSkipped: counter(registry, {
      name: 'records_skipped_total',
      help: 'Records not consumed because they were settled before a restart or rebalance.',
      labels: { topic: topics },
    }),
    contractDeviations: counter(registry, {
      name: 'contract_deviations_total',
      help: 'Fields that the contract lists and a record went out without.',
      labels: { field: countedFields },
    }),
    deliveryAttempts: counter(registry, {
      name: 'delivery_attempts_total',
      help: 'Attempts to deliver; what was put off without an attempt is not in here.',
      labels: { outcome: attemptOutcomes, status_class: statusClasses, attempt: pools },
      isPossible: canHaveStatusClass,
    }),
    deliveriesDeferred: counter(registry, {
      name: 'deliveries_deferred_total',
      help: 'Deliveries put off without an attempt.',
      labels: { reason: [...deferOutcomes, 'not_due'] },
    }),
    retriesScheduled: counter(registry, {
      name: 'retries_scheduled_total',
      help: 'Writes to a tier.',
      labels: { tier: tierLabels(known) },
    }),
    deadLetters: counter(registry, {
      name: 'dead_letters_total',
      help: 'Writes to the dead-letter topic.',
      labels: { reason: deadReasons },
    }),
    handoffFailures: counter(registry, {
      name: 'handoff_failures_total',
      help: 'Failed writes to a tier, the dead-letter topic or the results topic; each is tried again.',
      labels: { kind: ['retry', 'dead_letter', ...(known.resultsTopic === undefined ? [] : ['result'])] },
    }),
  };
}

function endpointCounters(registry: Registry) {
  return {
    connectionsOpened: counter(registry, {
      name: 'connections_opened_total',
      help: 'TLS connections opened to endpoints, by whether they resumed a session.',
      labels: { resumed: ['true', 'false'] },
    }),
    addressesDropped: counter(registry, {
      name: 'dns_addresses_dropped_total',
      help: 'Addresses of endpoints that were not taken from a DNS answer, because it held over 16 of their family.',
      labels: {},
    }),
    connectionsCut: counter(registry, {
      name: 'connections_cut_total',
      help: 'Connections closed because their endpoint sent more than it may, by the limit that it exceeded.',
      labels: { limit: receiveLimits },
    }),
    handshakesUnanswered: counter(registry, {
      name: 'handshakes_unanswered_total',
      help: 'TLS handshakes that ended before the endpoint had sent a byte, by how they ended.',
      labels: { end: unansweredEnds },
    }),
    circuitTransitions: counter(registry, {
      name: 'circuit_transitions_total',
      help: 'Changes of the circuit of an endpoint, by the state it changed to.',
      labels: { circuit: circuitStates },
    }),
  };
}

function sourceCounters(registry: Registry, known: KnownTopics) {
  return {
    configurationReloadFailures: counter(registry, {
      name: 'configuration_reload_failures_total',
      help: 'Times that changed configurations could not be loaded; the last good set is kept.',
      labels: {},
    }),
    offsetResets: counter(registry, {
      name: 'offset_resets_total',
      help: 'Times that a partition lost records unread: retention overtook the commit, or the topic was recreated.',
      labels: { topic: consumedTopics(known) },
    }),
    uncommittedRecords: counter(registry, {
      name: 'records_without_commit_total',
      help: 'Records found when the group had no commit in any of its topics. All of them are read, although they may have been before.',
      labels: { topic: consumedTopics(known) },
    }),
    rebalances: counter(registry, {
      name: 'rebalances_total',
      help: 'Times that a consumer of this instance joined its group, the first time included.',
      labels: {},
    }),
    commitFailures: counter(registry, {
      name: 'commit_failures_total',
      help: 'Offset commits that failed; a later one covers them.',
      labels: {},
    }),
    schemaRegistryFailures: counter(registry, {
      name: 'schema_registry_failures_total',
      help: 'Questions for a schema that the schema registry did not answer, or whose schema it does not know.',
      labels: { kind: [...registryFailures, 'unknown_schema'] },
    }),
    adminConnectionsClosed: counter(registry, {
      name: 'admin_connections_closed_total',
      help: 'Connections to the metrics and probes of this process that were closed at a limit, by the limit.',
      labels: { limit: adminLimits },
    }),
  };
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
type StatusClass = (typeof statusClasses)[number];

/** Returns `none` without a response, and for a status outside the classes of final responses. */
export function statusClass(status: number | undefined): StatusClass {
  return statusClasses[Math.floor((status ?? 0) / 100) - 2] ?? 'none';
}

/** Returns true if the outcome can have this class: 2xx when delivered, another after an HTTP error, otherwise none. */
function canHaveStatusClass({ outcome, status_class: statusText }: LabelSet): boolean {
  if (outcome === 'delivered') return statusText === '2xx';
  if (outcome === 'http_error') return statusText !== '2xx';
  return statusText === 'none';
}
