import type { Delivery, Failure } from './delivery.ts';
import { isAttempt, type Outcome } from './outcome.ts';
import type { Settlement } from './settle.ts';

export interface AttemptResult {
  readonly outcome: Outcome;
  /** The wall time when the request left the waiting room, or was refused. */
  readonly startedAt: number;
  /** The time from then until the outcome was known, by the monotonic clock. */
  readonly durationMs: number;
}

/** Returns the delivery with the time of its first attempt and its latest failure noted in it. */
export function withFailure(delivery: Delivery, outcome: Outcome, startedAt: number): Delivery {
  return {
    ...delivery,
    firstAttemptedAt: delivery.firstAttemptedAt ?? (isAttempt(outcome) ? startedAt : undefined),
    lastFailure: failureOf(outcome) ?? delivery.lastFailure,
  };
}

/** Returns the delivery as a tier keeps it for its next attempt. */
export function forNextAttempt(
  delivery: Delivery,
  settlement: Extract<Settlement, { kind: 'retry' | 'defer' }>,
): Delivery {
  return settlement.kind === 'retry'
    ? { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 }
    : { ...delivery, deferrals: settlement.deferrals };
}

/** Returns undefined for outcomes that are no failure of the delivery, such as a 2xx or a shutdown. */
export function failureOf(outcome: Outcome): Failure | undefined {
  const { kind: reason } = outcome;
  if ('message' in outcome) return { reason, status: undefined, message: outcome.message };
  switch (outcome.kind) {
    case 'delivered':
    case 'unsubscribed':
    case 'draining':
      return undefined;
    case 'http_error':
      return { reason, status: outcome.status, message: `answered ${outcome.status}` };
    case 'configuration_invalid':
      return { reason, status: undefined, message: 'its configuration is refused' };
    case 'paused':
      return { reason, status: undefined, message: 'its configuration is paused' };
    case 'circuit_open':
      return { reason, status: undefined, message: 'its endpoint fails; the circuit is open' };
    case 'overloaded':
      return { reason, status: undefined, message: 'its endpoint has more waiting than it takes' };
  }
}
