import type { CircuitPolicy } from './limits.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';

export const circuitStates = ['closed', 'open', 'half_open'] as const;
export type CircuitState = (typeof circuitStates)[number];

/** The state that a success has reset. */
interface ResetBySuccess {
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly cooldownMs: number;
}

/** A request in flight, as its gate remembers it. */
export interface SentRequest {
  /** The circuit at the time of sending. The outcome says nothing about a later version of the webhook. */
  readonly circuit: Circuit;
  readonly isProbe: boolean;
  /** Its monotonic time. */
  readonly sentAt: number;
  /** Set once the request has succeeded. */
  success?: ResetBySuccess | undefined;
}

/**
 * The longest cooldown, in multiples of `CIRCUIT_COOLDOWN`: 10 minutes by default. `docs/configuration.md` promises it.
 */
const longestCooldownFactor = 20;

/** More than any gate allows, and an integer that V8 keeps without an object: there may be a hundred thousand circuits. */
const unlimited = 2 ** 30;

/**
 * Decides from the outcomes of earlier requests whether one endpoint gets more. Callers pass the time.
 *
 *     closed ──── failures in a row ────▶ open ──── cooldown over ────▶ half_open
 *       ▲ │                               ▲  ▲                            │   │
 *       │ └── 429, 503 with Retry-After ──┘  └────── probe fails ─────────┘   │
 *       └──────────────────────── a request succeeds ─────────────────────────┘
 *
 * | state        | requests                                              |
 * | ------------ | ----------------------------------------------------- |
 * | closed       | allowed; up to `limit` at once after a failure        |
 * | open         | refused until the cooldown is over                    |
 * | open, paused | wait until the pause is over                          |
 * | half_open    | one, the probe; later deliveries wait for its outcome |
 *
 * Each gate owns one, and calls `started` and `ended` for each request. A new version of a webhook gets a new circuit.
 *
 * - A success closes the circuit in any state. It may belong to a request that was sent before the circuit opened.
 *   After that `limit` starts at 1 and grows by one with each success.
 * - Only a failed probe doubles the cooldown. Older requests that fail after the circuit has opened are only counted.
 * - A 429 or 503 with `Retry-After` is a pause: it opens the circuit for that time, at least a second, at most the longest
 *   cooldown. No failure is counted. It never shortens a cooldown, and a success of an older request does not end it.
 * - After `failures` pauses without a success between them, each one counts as a failure, too. Else an endpoint that never
 *   accepts would be asked each second for ever.
 * - An endpoint that sends more than it may opens the circuit at once. Such an attempt takes up to 30 ms of the processor,
 *   for which others wait.
 * - A success is withdrawn if the endpoint does that after its 2xx: a failure counts in its place. A long page that comes
 *   with each 2xx is no attack.
 * - Outcomes that are no attempt, such as `local_error`, change nothing. A probe that ends so is repeated.
 * - While failures are counted, `limit` is at most the number of further ones that would open the circuit.
 *
 * Without `limit`, an endpoint that recovers would get everything that waits at once, and could fail again. One that fails
 * late would get new requests with each failure: 25 before its circuit opens instead of 16, with the default settings.
 */
export class Circuit {
  readonly #policy: CircuitPolicy;
  #failures = 0;
  #failingSince: number | undefined;
  #state: CircuitState = 'closed';
  #openUntil = 0;
  #cooldownMs: number;
  #probing = false;
  #limit = unlimited;
  /** Pauses since the last success. The requests that were in flight when one began belong to it. */
  #pauses = 0;
  #isPaused = false;

  constructor(policy: CircuitPolicy) {
    this.#policy = policy;
    this.#cooldownMs = policy.cooldownMs;
  }

  /** The number of failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** The time of the first failure since the last success; undefined if there is none. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /** True if the last attempt failed, or was answered by a request for time. */
  get isFailing(): boolean {
    return this.#failures > 0 || this.#pauses > 0;
  }

  /** True from a request for time until the next outcome. After that time the endpoint is expected to work. */
  get isPausedOnce(): boolean {
    return this.#isPaused && this.#pauses <= 1;
  }

  /** Returns when the pause ends that the endpoint has asked for; undefined if there is none. */
  pausedUntil(now: number): number | undefined {
    return this.#isPaused ? this.openUntil(now) : undefined;
  }

  /** The number of requests that the circuit allows at once. The gate has limits of its own. */
  get limit(): number {
    if (this.#state !== 'closed' || this.#failures === 0) return this.#limit;
    return Math.min(this.#limit, this.#policy.failures - this.#failures);
  }

  /** Returns when the cooldown ends; undefined unless the circuit is open. */
  openUntil(now: number): number | undefined {
    return this.state(now) === 'open' ? this.#openUntil : undefined;
  }

  state(now: number): CircuitState {
    if (this.#state === 'open' && now >= this.#openUntil) this.#state = 'half_open';
    return this.#state;
  }

  /** Returns whether a request may be sent. `wait`: a probe is in flight and its outcome decides, or a pause will end. */
  admits(now: number): 'yes' | 'wait' | 'no' {
    switch (this.state(now)) {
      case 'closed':
        return 'yes';
      case 'half_open':
        return this.#probing ? 'wait' : 'yes';
      case 'open':
        return this.#isPaused ? 'wait' : 'no';
    }
  }

  /** Notes that a request is sent. Returns whether it is the probe; `ended` needs to know. */
  started(now: number): boolean {
    const isProbe = this.state(now) === 'half_open';
    if (isProbe) this.#probing = true;
    return isProbe;
  }

  /** Notes the outcome of a request. Returns what a success has reset, for `withdraw`. */
  ended(outcome: Outcome, wasProbe: boolean, now: number): ResetBySuccess | undefined {
    if (wasProbe) this.#probing = false;
    if (!isAttempt(outcome)) return undefined;
    if (outcome.kind === 'delivered') return this.#succeeded(now);
    const askedMs = askedTimeOf(outcome);
    const isNewPause = askedMs > 0 && this.state(now) !== 'open';
    if (isNewPause) this.#pauses += 1;
    if (askedMs === 0 || this.#pauses > this.#policy.failures) this.#failed(wasProbe, now, 'hasExceeded' in outcome);
    else if (isNewPause) this.#isPaused = true;
    if (askedMs > 0) this.#pause(askedMs, now);
    return undefined;
  }

  /** Counts a failure in place of a success that was noted before. Failures go on in a row, and so does the cooldown. */
  withdraw({ failures, failingSince, cooldownMs }: ResetBySuccess, wasProbe: boolean, now: number): void {
    this.#failures += failures;
    this.#failingSince = failingSince ?? this.#failingSince;
    this.#cooldownMs = Math.max(this.#cooldownMs, wasProbe ? this.#longer(cooldownMs) : cooldownMs);
    this.#failed(false, now);
  }

  #succeeded(now: number): ResetBySuccess {
    const reset = { failures: this.#failures, failingSince: this.#failingSince, cooldownMs: this.#cooldownMs };
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#pauses = 0;
    this.#cooldownMs = this.#policy.cooldownMs;
    // This request was sent before the endpoint asked for time.
    if (this.#isPaused && this.state(now) === 'open') return reset;
    this.#isPaused = false;
    this.#limit = this.#state === 'closed' ? Math.min(unlimited, this.#limit + 1) : 1;
    this.#state = 'closed';
    return reset;
  }

  #failed(wasProbe: boolean, now: number, opensAtOnce: boolean = false): void {
    this.#failures += 1;
    this.#failingSince ??= now;
    if (wasProbe && this.#state === 'half_open') {
      this.#isPaused = false;
      this.#cooldownMs = this.#longer(this.#cooldownMs);
      this.#open(now + this.#cooldownMs);
    } else if (this.#state === 'closed' && (opensAtOnce || this.#failures >= this.#policy.failures)) {
      this.#open(now + this.#cooldownMs);
    }
  }

  /** Returns the cooldown that follows after a failed probe. */
  #longer(cooldownMs: number): number {
    return Math.min(cooldownMs * 2, this.#policy.cooldownMs * longestCooldownFactor);
  }

  #pause(askedMs: number, now: number): void {
    const longestMs = this.#policy.cooldownMs * longestCooldownFactor;
    this.#open(Math.max(this.#state === 'open' ? this.#openUntil : 0, now + Math.min(askedMs, longestMs)));
  }

  #open(until: number): void {
    this.#state = 'open';
    this.#openUntil = until;
  }
}

/** Returns for how long the endpoint asks to get nothing: 0, or at least a second. */
function askedTimeOf(outcome: Outcome): number {
  if (outcome.kind !== 'http_error' || (outcome.status !== 429 && outcome.status !== 503)) return 0;
  const { retryAfterMs = 0 } = outcome;
  return retryAfterMs > 0 ? Math.max(1000, retryAfterMs) : 0;
}
