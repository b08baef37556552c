import { TopN } from '../../lib/top-n.ts';
import type { CircuitState } from './circuit.ts';
import type { Gate } from './gate.ts';
import type { OutcomeKind } from '../outcome.ts';

/** How one endpoint does, for people: no URL and no credential. */
export interface EndpointStatus {
  readonly configurationId: string;
  readonly ownerId: string | undefined;
  readonly circuit: CircuitState;
  /** When an open circuit lets a probe out, in epoch milliseconds. */
  readonly openUntil: number | undefined;
  /** In a row. */
  readonly failures: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly lastOutcome: OutcomeKind | undefined;
  /** The HTTP status, when there was a response. */
  readonly lastStatus: number | undefined;
  /** In epoch milliseconds. */
  readonly lastOutcomeAt: number | undefined;
}

/** How all endpoints of this instance do, in numbers and by example. */
export interface EndpointsStatus {
  readonly circuits: Readonly<Record<CircuitState, number>>;
  /** Those that have failed since their last success, most failures in a row first. */
  readonly failing: EndpointList;
  /** Of the others those with deliveries in their waiting rooms, the most first. */
  readonly crowded: EndpointList;
}

/** The first of all that belong there. */
export interface EndpointList {
  readonly total: number;
  readonly first: readonly EndpointStatus[];
}

/** Looks once at each of what may be a hundred thousand. */
export function endpointsStatus(gates: Iterable<Gate>, now: number): EndpointsStatus {
  const circuits: Record<CircuitState, number> = { closed: 0, open: 0, half_open: 0 };
  const failing = new TopN<Gate>(100);
  const crowded = new TopN<Gate>(20);
  for (const gate of gates) {
    const { circuit, waiting } = gate;
    circuits[circuit.state(now)] += 1;
    if (circuit.failures > 0) failing.offer(gate, circuit.failures);
    else crowded.offer(gate, waiting);
  }
  return { circuits, failing: listOf(failing, now), crowded: listOf(crowded, now) };
}

function listOf({ total, items }: TopN<Gate>, now: number): EndpointList {
  return { total, first: items.map((gate) => endpointStatus(gate, now)) };
}

function endpointStatus(gate: Gate, now: number): EndpointStatus {
  const { webhook, circuit, inFlight, waiting, lastOutcome, lastOutcomeAt } = gate;
  return {
    configurationId: webhook.id,
    ownerId: webhook.ownerId,
    circuit: circuit.state(now),
    openUntil: circuit.openUntil(now),
    failures: circuit.failures,
    inFlight,
    waiting,
    lastOutcome: lastOutcome?.kind,
    lastStatus: lastOutcome !== undefined && 'status' in lastOutcome ? lastOutcome.status : undefined,
    lastOutcomeAt,
  };
}
