/** What one attempt came to: a fact. What we do about it is a settlement. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'http_error'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: NoResponse; readonly message: string }
  | { readonly kind: 'blocked'; readonly message: string }
  | { readonly kind: 'local_error'; readonly message: string }
  | { readonly kind: Refusal }
  | { readonly kind: 'overloaded'; readonly freeAt: number }
  | { readonly kind: 'draining' }
  | { readonly kind: 'unsubscribed' };

/** The request was made, or tried, and no usable response came. */
export const noResponses = [
  'timeout',
  'dns_error',
  'connect_error',
  'tls_error',
  'connection_lost',
  'protocol_error',
] as const;
export type NoResponse = (typeof noResponses)[number];

/** No request was made, by decision. */
export const refusals = ['configuration_invalid', 'paused', 'circuit_open'] as const;
export type Refusal = (typeof refusals)[number];

/** Outcomes that count as an attempt: a request went out, or was tried and kept from going out by the policy. */
export const attemptOutcomes = ['delivered', 'http_error', ...noResponses, 'blocked'] as const;

const attempts: ReadonlySet<string> = new Set(attemptOutcomes);

/** Whether the outcome counts as one of the delivery's attempts. */
export function isAttempt(outcome: Outcome): boolean {
  return attempts.has(outcome.kind);
}

/** Outcomes that count no attempt: the delivery waits in a tier. */
export const deferOutcomes = [...refusals, 'local_error', 'overloaded', 'draining'] as const;

export type OutcomeKind = Outcome['kind'];

/** What a request can come to once it was handed to the HTTP client. */
export type RequestOutcome = Extract<
  Outcome,
  { readonly kind: 'delivered' | 'http_error' | NoResponse | 'blocked' | 'local_error' | 'draining' }
>;
