import type { CircuitState } from './circuit.ts';
import type { Gate } from './gate.ts';
import type { OutcomeKind } from './outcome.ts';

/** How one endpoint does, for people: no URL and no credential. */
export interface EndpointStatus {
  readonly configurationId: string;
  readonly ownerId: string | undefined;
  readonly circuit: CircuitState;
  /** Failures in a row. */
  readonly failures: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly lastOutcome: OutcomeKind | undefined;
  readonly lastStatus: number | undefined;
}

export function endpointStatus(gate: Gate, now: number): EndpointStatus {
  const { webhook, circuit, inFlight, waiting, lastOutcome } = gate;
  return {
    configurationId: webhook.id,
    ownerId: webhook.ownerId,
    circuit: circuit.state(now),
    failures: circuit.failures,
    inFlight,
    waiting,
    lastOutcome: lastOutcome?.kind,
    lastStatus: lastOutcome !== undefined && 'status' in lastOutcome ? lastOutcome.status : undefined,
  };
}
