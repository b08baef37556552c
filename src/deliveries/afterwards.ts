import type { Delivery, Failure } from './delivery.ts';
import { attemptOutcomes, type Outcome } from './outcome.ts';
import type { Settlement } from './settlement.ts';

const attempts: ReadonlySet<string> = new Set(attemptOutcomes);

/** Whether the outcome counts as one of the delivery's attempts. */
export function isAttempt(outcome: Outcome): boolean {
  return attempts.has(outcome.kind);
}

/** The delivery with what just happened to it written down. */
export function withFailure(delivery: Delivery, outcome: Outcome, startedAt: number): Delivery {
  return {
    ...delivery,
    firstAttemptedAt: delivery.firstAttemptedAt ?? (isAttempt(outcome) ? startedAt : undefined),
    lastFailure: failureOf(outcome) ?? delivery.lastFailure,
  };
}

/** The delivery as it is to be attempted next. */
export function asNext(delivery: Delivery, settlement: Extract<Settlement, { kind: 'retry' | 'defer' }>): Delivery {
  switch (settlement.kind) {
    case 'retry':
      return { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 };
    case 'defer':
      return { ...delivery, deferrals: settlement.deferrals };
  }
}

/** Undefined for what is no failure of the delivery: a 2xx, or that this process is going away. */
export function failureOf(outcome: Outcome): Failure | undefined {
  switch (outcome.kind) {
    case 'delivered':
    case 'unsubscribed':
    case 'draining':
      return undefined;
    case 'http_error':
      return { reason: outcome.kind, status: outcome.status, message: `answered ${outcome.status}` };
    case 'timeout':
    case 'dns_error':
    case 'connect_error':
    case 'tls_error':
    case 'connection_lost':
    case 'protocol_error':
    case 'blocked':
    case 'local_error':
      return { reason: outcome.kind, status: undefined, message: outcome.message };
    case 'configuration_invalid':
      return { reason: outcome.kind, status: undefined, message: 'its configuration is refused' };
    case 'paused':
      return { reason: outcome.kind, status: undefined, message: 'its configuration is paused' };
    case 'circuit_open':
      return { reason: outcome.kind, status: undefined, message: 'its endpoint fails; the circuit is open' };
    case 'overloaded':
      return { reason: outcome.kind, status: undefined, message: 'its endpoint has more waiting than it takes' };
  }
}
