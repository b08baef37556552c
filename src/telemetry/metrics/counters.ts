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

/** The meanings of the counters, each by its name without the common prefix. */
const helps = {
  records_consumed_total: 'Records taken in, from certificate topics and tiers.',
  records_settled_total: 'Records settled, by what they came to; of several deliveries the first that applies counts.',
  records_skipped_total: 'Records not consumed because they were settled before a restart or rebalance.',
  contract_deviations_total: 'Fields that the contract lists and a record went out without.',
  delivery_attempts_total: 'Attempts to deliver; what was put off without an attempt is not in here.',
  deliveries_deferred_total: 'Deliveries put off without an attempt.',
  retries_scheduled_total: 'Writes to a tier.',
  dead_letters_total: 'Writes to the dead-letter topic.',
  handoff_failures_total: 'Failed writes to a tier, the dead-letter topic or the results topic; each is tried again.',
  connections_opened_total: 'TLS connections opened to endpoints, by whether they resumed a session.',
  dns_addresses_dropped_total:
    'Addresses of endpoints that were not taken from a DNS answer, because it held over 16 of their family.',
  connections_cut_total:
    'Connections closed because their endpoint sent more than it may, by the limit that it exceeded.',
  handshakes_unanswered_total: 'TLS handshakes that ended before the endpoint had sent a byte, by how they ended.',
  circuit_transitions_total: 'Changes of the circuit of an endpoint, by the state it changed to.',
  configuration_reload_failures_total:
    'Times that changed configurations could not be loaded; the last good set is kept.',
  offset_resets_total:
    'Times that a partition lost records unread: retention overtook the commit, or the topic was recreated.',
  records_without_commit_total:
    'Records found when the group had no commit in any of its topics. All of them are read, although they may have been before.',
  rebalances_total: 'Times that a consumer of this instance joined its group, the first time included.',
  commit_failures_total: 'Offset commits that failed; a later one covers them.',
  schema_registry_failures_total:
    'Questions for a schema that the schema registry did not answer, or whose schema it does not know.',
  admin_connections_closed_total:
    'Connections to the metrics and probes of this process that were closed at a limit, by the limit.',
};

export type Counters = ReturnType<typeof createCounters>;

export function createCounters(registry: Registry, known: KnownTopics) {
  const topic = consumedTopics(known);
  const create = <Label extends string = never>(
    name: keyof typeof helps,
    labels: Readonly<Record<Label, readonly string[]>>,
    isPossible: (labels: LabelSet) => boolean = () => true,
  ) => counter(registry, { name, help: helps[name], labels, isPossible });
  return {
    recordsConsumed: create('records_consumed_total', { topic }),
    recordsSettled: create('records_settled_total', { topic, result: recordResults }),
    recordsSkipped: create('records_skipped_total', { topic }),
    contractDeviations: create('contract_deviations_total', { field: countedFields }),
    deliveryAttempts: create(
      'delivery_attempts_total',
      { outcome: attemptOutcomes, status_class: statusClasses, attempt: pools },
      canHaveStatusClass,
    ),
    deliveriesDeferred: create('deliveries_deferred_total', { reason: [...deferOutcomes, 'not_due'] }),
    retriesScheduled: create('retries_scheduled_total', { tier: tierLabels(known) }),
    deadLetters: create('dead_letters_total', { reason: deadReasons }),
    handoffFailures: create('handoff_failures_total', {
      kind: ['retry', 'dead_letter', ...(known.resultsTopic === undefined ? [] : ['result'])],
    }),
    connectionsOpened: create('connections_opened_total', { resumed: ['true', 'false'] }),
    addressesDropped: create('dns_addresses_dropped_total', {}),
    connectionsCut: create('connections_cut_total', { limit: receiveLimits }),
    handshakesUnanswered: create('handshakes_unanswered_total', { end: unansweredEnds }),
    circuitTransitions: create('circuit_transitions_total', { circuit: circuitStates }),
    configurationReloadFailures: create('configuration_reload_failures_total', {}),
    offsetResets: create('offset_resets_total', { topic }),
    uncommittedRecords: create('records_without_commit_total', { topic }),
    rebalances: create('rebalances_total', {}),
    commitFailures: create('commit_failures_total', {}),
    schemaRegistryFailures: create('schema_registry_failures_total', { kind: [...registryFailures, 'unknown_schema'] }),
    adminConnectionsClosed: create('admin_connections_closed_total', { limit: adminLimits }),
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
