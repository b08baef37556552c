import { wallTimeAt, type Clock } from '../lib/clock.ts';
import { TopN } from '../lib/top-n.ts';
import type { Directory, Webhook, WebhookLimits, WebhookState } from '../webhooks/webhook.ts';
import { failureOf } from '../deliveries/attempt-result.ts';
import type { OutcomeKind } from '../deliveries/outcome.ts';
import type { CertificateWatch } from '../deliveries/certificate-watch.ts';
import type { CircuitState } from './circuit.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { Gate } from './gate.ts';

/** The state of one endpoint, for people. Holds no path, no query and no credential. */
export interface EndpointStatus extends EndpointUse {
  readonly configurationId: string;
  readonly ownerId: string | undefined;
  /** The state of the configuration at present. */
  readonly state: WebhookState | 'removed';
  /** The host name of the URL, with its port unless that is 443. Undefined for a disabled or invalid configuration. */
  readonly host: string | undefined;
  /** The limits of the configuration itself. */
  readonly limits?: WebhookLimits | undefined;
  /** The end of its certificate, in epoch milliseconds. Undefined while no connection has shown one. */
  readonly certificateValidUntil?: number | undefined;
}

/** The recent use of an endpoint, as its gate counts it. Times are in epoch milliseconds. */
interface EndpointUse {
  /** Tells why deliveries to it do not count as active: the last attempt failed, some take too long, or wait for its pace. */
  readonly health: EndpointHealth;
  readonly circuit: CircuitState;
  /** The end of an open circuit's cooldown. */
  readonly openUntil: number | undefined;
  /** The number of failures since the last success. */
  readonly failures: number;
  /** The time of the first of these failures. */
  readonly failingSince: number | undefined;
  readonly inFlight: number;
  readonly waiting: number;
  readonly lastOutcome: OutcomeKind | undefined;
  /** The HTTP status; undefined when there was no response. */
  readonly lastStatus: number | undefined;
  /** Says on one line why the last request failed. Undefined after a success. */
  readonly lastMessage: string | undefined;
  readonly lastOutcomeAt: number | undefined;
}

/** The state of all endpoints of this instance: counts, and those that need attention. */
export interface EndpointsStatus {
  readonly circuits: Readonly<Record<CircuitState, number>>;
  /** Endpoints that have failed since their last success, most failures first. */
  readonly failing: EndpointList;
  /** Other endpoints with waiting deliveries, or late ones: most of these first. */
  readonly crowded: EndpointList;
  /** Endpoints whose certificates are about to expire, the soonest first. */
  readonly expiring: EndpointList;
}

/** The first endpoints of a list, and the length of the whole list. */
export interface EndpointList {
  readonly total: number;
  readonly first: readonly EndpointStatus[];
}

/** Selects the endpoint of one configuration, or those of one owner. */
export interface EndpointSelection {
  readonly by: 'configuration' | 'owner';
  readonly id: string;
}

export interface EndpointSources {
  readonly gates: { all(): Iterable<Gate>; of(webhookId: string): Gate | undefined };
  readonly directory: Pick<Directory, 'byId' | 'ofOwner'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly certificates?: Pick<CertificateWatch, 'endOf' | 'expiring'> | undefined;
}

/** The longest list of endpoints. An answer is then some 100 KB, and its URLs are parsed within some ms. */
const maxListed = 100;

/** Summarizes the gates in one pass, because there may be a hundred thousand. */
export function endpointsStatus(sources: EndpointSources): EndpointsStatus {
  const { gates, clock } = sources;
  const now = clock.monotonic();
  const circuits: Record<CircuitState, number> = { closed: 0, open: 0, half_open: 0 };
  const failing = new TopN<Gate>(maxListed);
  const crowded = new TopN<Gate>(20);
  for (const gate of gates.all()) {
    const { circuit, waiting, isSuspect, inFlight } = gate;
    circuits[circuit.state(now)] += 1;
    if (circuit.failures > 0) failing.offer(gate, circuit.failures);
    else crowded.offer(gate, waiting + (isSuspect ? inFlight : 0));
  }
  const expiring = expiringEndpoints(sources);
  return { circuits, failing: listOf(failing, sources), crowded: listOf(crowded, sources), expiring };
}

function expiringEndpoints(sources: EndpointSources): EndpointList {
  const soonest = new TopN<Webhook>(20);
  for (const { webhookId, validUntil } of sources.certificates?.expiring() ?? []) {
    const webhook = sources.directory.byId(webhookId);
    if (webhook !== undefined) soonest.offer(webhook, 1 / validUntil);
  }
  const { total, items } = soonest;
  return { total, first: items.map((webhook) => currentStatus(webhook, sources)) };
}

/** Returns the selected endpoints, whether they fail or not: at most a hundred, most failures first. */
export function selectedEndpoints({ by, id }: EndpointSelection, sources: EndpointSources): readonly EndpointStatus[] {
  const { gates, directory } = sources;
  const selected = by === 'owner' ? directory.ofOwner(id) : [directory.byId(id)];
  const worst = new TopN<Webhook>(maxListed);
  for (const webhook of selected) {
    if (webhook !== undefined) worst.offer(webhook, 1 + (gates.of(webhook.id)?.circuit.failures ?? 0));
  }
  return worst.items.map((webhook) => currentStatus(webhook, sources));
}

function currentStatus(webhook: Webhook, sources: EndpointSources): EndpointStatus {
  return endpointStatus(webhook, webhook.state, sources.gates.of(webhook.id), sources);
}

function listOf({ total, items }: TopN<Gate>, sources: EndpointSources): EndpointList {
  const first = items.map((gate) => {
    const current = sources.directory.byId(gate.webhook.id);
    return endpointStatus(current ?? gate.webhook, current?.state ?? 'removed', gate, sources);
  });
  return { total, first };
}

function endpointStatus(
  webhook: Webhook,
  state: EndpointStatus['state'],
  gate: Gate | undefined,
  { clock, certificates }: EndpointSources,
): EndpointStatus {
  const isReadable = webhook.state === 'active' || webhook.state === 'paused';
  const url = isReadable ? webhook.endpoint().url : undefined;
  return {
    configurationId: webhook.id,
    ownerId: webhook.ownerId,
    state,
    host: url?.host,
    limits: webhook.limits,
    certificateValidUntil: url && certificates?.endOf(url.origin),
    ...(gate === undefined ? unused : useOf(gate, clock)),
  };
}

function useOf(gate: Gate, clock: EndpointSources['clock']): EndpointUse {
  const now = clock.monotonic();
  const wallTime = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : wallTimeAt(clock, at);
  const { health, circuit, inFlight, waiting, lastOutcome, lastOutcomeAt } = gate;
  return {
    health,
    circuit: circuit.state(now),
    openUntil: wallTime(circuit.openUntil(now)),
    failures: circuit.failures,
    failingSince: wallTime(circuit.failingSince),
    inFlight,
    waiting,
    lastOutcome: lastOutcome?.kind,
    lastStatus: lastOutcome !== undefined && 'status' in lastOutcome ? lastOutcome.status : undefined,
    lastMessage: lastOutcome && failureOf(lastOutcome)?.message,
    lastOutcomeAt: wallTime(lastOutcomeAt),
  };
}

/** An endpoint without a gate: it was not used lately and does not fail. */
const unused: EndpointUse = {
  health: 'healthy',
  circuit: 'closed',
  openUntil: undefined,
  failures: 0,
  failingSince: undefined,
  inFlight: 0,
  waiting: 0,
  lastOutcome: undefined,
  lastStatus: undefined,
  lastMessage: undefined,
  lastOutcomeAt: undefined,
};
