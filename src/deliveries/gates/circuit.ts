import { isAttempt, type Outcome } from '../outcome.ts';

export const circuitStates = ['closed', 'open', 'half_open'] as const;
export type CircuitState = (typeof circuitStates)[number];

export interface CircuitPolicy {
  /** How many failures in a row open it. */
  readonly failures: number;
  /** How long it stays open at first; each failed probe doubles that, up to `longestCooldownFactor` times as long. */
  readonly cooldownMs: number;
}

const longestCooldownFactor = 20;

/**
 * Whether one endpoint gets requests at present. Closed: yes. Open: no. Half open: one, the probe, and what comes
 * meanwhile waits for its result. After a success the number of requests at once grows from one, by one a success.
 */
export class Circuit {
  readonly #policy: CircuitPolicy;
  #failures = 0;
  #state: CircuitState = 'closed';
  #openUntil = 0;
  #cooldownMs: number;
  #probing = false;
  #limit = Number.POSITIVE_INFINITY;

  constructor(policy: CircuitPolicy) {
    this.#policy = policy;
    this.#cooldownMs = policy.cooldownMs;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** How many requests at once it allows; the gate has limits of its own. */
  get limit(): number {
    return this.#limit;
  }

  /** When an open one lets a probe out; undefined unless it is open. */
  openUntil(now: number): number | undefined {
    return this.state(now) === 'open' ? this.#openUntil : undefined;
  }

  state(now: number): CircuitState {
    if (this.#state === 'open' && now >= this.#openUntil) this.#state = 'half_open';
    return this.#state;
  }

  /** `wait`: a probe is out, its result decides. */
  admits(now: number): 'yes' | 'wait' | 'no' {
    switch (this.state(now)) {
      case 'closed':
        return 'yes';
      case 'half_open':
        return this.#probing ? 'wait' : 'yes';
      case 'open':
        return 'no';
    }
  }

  /** A request goes out. Returns whether it is the probe, for `ended`. */
  started(now: number): boolean {
    const isProbe = this.state(now) === 'half_open';
    if (isProbe) this.#probing = true;
    return isProbe;
  }

  /** A request came to an end. Outcomes that say nothing about the endpoint leave the circuit as it is. */
  ended(outcome: Outcome, wasProbe: boolean, now: number): void {
    if (wasProbe) this.#probing = false;
    if (!isAttempt(outcome)) return;
    if (outcome.kind === 'delivered') return this.#succeeded();
    this.#failed(wasProbe, now);
    const asksForTime = outcome.kind === 'http_error' && (outcome.status === 429 || outcome.status === 503);
    if (asksForTime) this.#backOff(outcome.retryAfterMs ?? 0, now);
  }

  #succeeded(): void {
    this.#limit = this.#state === 'closed' ? this.#limit + 1 : 1;
    this.#failures = 0;
    this.#state = 'closed';
    this.#cooldownMs = this.#policy.cooldownMs;
  }

  #failed(wasProbe: boolean, now: number): void {
    this.#failures += 1;
    if (wasProbe && this.#state === 'half_open') {
      this.#cooldownMs = Math.min(this.#cooldownMs * 2, this.#policy.cooldownMs * longestCooldownFactor);
      this.#open(now + this.#cooldownMs);
    } else if (this.#state === 'closed' && this.#failures >= this.#policy.failures) {
      this.#open(now + this.#cooldownMs);
    }
  }

  #backOff(retryAfterMs: number, now: number): void {
    if (retryAfterMs <= 0) return;
    const longestMs = this.#policy.cooldownMs * longestCooldownFactor;
    this.#open(Math.max(this.#state === 'open' ? this.#openUntil : 0, now + Math.min(retryAfterMs, longestMs)));
  }

  #open(until: number): void {
    this.#state = 'open';
    this.#openUntil = until;
  }
}
