import { wallTimeAt, type Clock } from '../../lib/clock.ts';
import { TopN } from '../../lib/top-n.ts';
import type { CircuitState } from './circuit.ts';
import type { EndpointHealth, Gate } from './gate.ts';
import type { OutcomeKind } from '../outcome.ts';

/** The state of one endpoint, for people. Holds no URL and no credential. */
export interface EndpointStatus {
  readonly configurationId: string;
  readonly ownerId: string | undefined;
  /** Tells why deliveries to it do not count as active: the last attempt failed, or some take too long. */
  readonly health: EndpointHealth;
  readonly circuit: CircuitState;
  /** The end of an open circuit's cooldown, in epoch milliseconds. */
  readonly openUntil: number | undefined;
  /** The number of failures since the last success. */
  readonly failures: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly lastOutcome: OutcomeKind | undefined;
  /** The HTTP status; undefined when there was no response. */
  readonly lastStatus: number | undefined;
  /** The time of the last outcome, in epoch milliseconds. */
  readonly lastOutcomeAt: number | undefined;
}

/** The state of all endpoints of this instance: counts, and those that need attention. */
export interface EndpointsStatus {
  readonly circuits: Readonly<Record<CircuitState, number>>;
  /** Endpoints that have failed since their last success, most failures first. */
  readonly failing: EndpointList;
  /** Other endpoints with waiting deliveries, or late ones: most of these first. */
  readonly crowded: EndpointList;
}

/** The first endpoints of a list, and the length of the whole list. */
export interface EndpointList {
  readonly total: number;
  readonly first: readonly EndpointStatus[];
}

type StatusClock = Pick<Clock, 'now' | 'monotonic'>;

/** Summarizes the gates in one pass, because there may be a hundred thousand. */
export function endpointsStatus(gates: Iterable<Gate>, clock: StatusClock): EndpointsStatus {
  const now = clock.monotonic();
  const circuits: Record<CircuitState, number> = { closed: 0, open: 0, half_open: 0 };
  const failing = new TopN<Gate>(100);
  const crowded = new TopN<Gate>(20);
  for (const gate of gates) {
    const { circuit, waiting, isSuspect, inFlight } = gate;
    circuits[circuit.state(now)] += 1;
    if (circuit.failures > 0) failing.offer(gate, circuit.failures);
    else crowded.offer(gate, waiting + (isSuspect ? inFlight : 0));
  }
  return { circuits, failing: listOf(failing, clock), crowded: listOf(crowded, clock) };
}

function listOf({ total, items }: TopN<Gate>, clock: StatusClock): EndpointList {
  return { total, first: items.map((gate) => endpointStatus(gate, clock)) };
}

function endpointStatus(gate: Gate, clock: StatusClock): EndpointStatus {
  const now = clock.monotonic();
  const wallTime = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : wallTimeAt(clock, at);
  const { webhook, health, circuit, inFlight, waiting, lastOutcome, lastOutcomeAt } = gate;
  return {
    configurationId: webhook.id,
    ownerId: webhook.ownerId,
    health,
    circuit: circuit.state(now),
    openUntil: wallTime(circuit.openUntil(now)),
    failures: circuit.failures,
    inFlight,
    waiting,
    lastOutcome: lastOutcome?.kind,
    lastStatus: lastOutcome !== undefined && 'status' in lastOutcome ? lastOutcome.status : undefined,
    lastOutcomeAt: wallTime(lastOutcomeAt),
  };
}
