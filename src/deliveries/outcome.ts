/** The result of one attempt, a fact. The decision that follows from it is a settlement. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'http_error'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** `hasExceeded`: the connection was cut, because the endpoint sent more than it may. */
  | { readonly kind: NoResponse; readonly message: string; readonly hasExceeded?: true }
  | { readonly kind: 'blocked'; readonly message: string }
  | { readonly kind: 'local_error'; readonly message: string }
  | { readonly kind: Refusal }
  /** The waiting room is full. `freeInMs` is the estimated time until the endpoint can take the delivery. */
  | { readonly kind: 'overloaded'; readonly freeInMs: number }
  | { readonly kind: 'draining' }
  | { readonly kind: 'unsubscribed' };

/** Outcomes of a request that was made, or tried, without a usable response. */
export const noResponses = [
  'timeout',
  'dns_error',
  'connect_error',
  'tls_error',
  'connection_lost',
  'protocol_error',
] as const;
export type NoResponse = (typeof noResponses)[number];

/** Outcomes of a decision to make no request. */
const refusals = ['configuration_invalid', 'paused', 'circuit_open'] as const;
type Refusal = (typeof refusals)[number];

/** Outcomes that count as an attempt: a request was sent, or tried, or refused by the egress policy. */
export const attemptOutcomes = ['delivered', 'http_error', ...noResponses, 'blocked'] as const;

const attempts: ReadonlySet<string> = new Set(attemptOutcomes);

/** Returns whether the outcome counts as one of the delivery's attempts. */
export function isAttempt(outcome: Outcome): boolean {
  return attempts.has(outcome.kind);
}

/** Outcomes that count no attempt: the delivery waits in a tier. */
export const deferOutcomes = [...refusals, 'local_error', 'overloaded', 'draining'] as const;

export type OutcomeKind = Outcome['kind'];

/** Outcomes of a request that was handed to the HTTP client. */
export type RequestOutcome = Extract<
  Outcome,
  { readonly kind: 'delivered' | 'http_error' | NoResponse | 'blocked' | 'local_error' | 'draining' }
>;
