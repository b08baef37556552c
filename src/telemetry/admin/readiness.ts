/** The only unmet condition during the shutdown. */
export const shuttingDown = 'shutting down';

/**
 * Knows which conditions keep the service from being ready. Owns the start conditions that are not met yet, and the
 * checks for current failures.
 *
 * `startService` names the start conditions, marks each as met, and adds the check of writes to the retry and dead-letter
 * topics. It calls `stop` before the consumers drain. `/readyz` and the status page call `missing`.
 *
 * Promises:
 * - A start condition that was met stays met, also during a later rebalance.
 * - Checks are evaluated at each call, so `missing` is never stale.
 * - The service is not ready during the shutdown, whatever else is missing.
 */
export class Readiness {
  readonly #missing: Set<string>;
  readonly #checks: (() => readonly string[])[] = [];
  #stopping = false;

  /** Takes the start conditions, in words for people. */
  constructor(conditions: readonly string[]) {
    this.#missing = new Set(conditions);
  }

  markReached(condition: string): void {
    this.#missing.delete(condition);
  }

  /** Adds a check that returns what fails at present, in words for people. */
  addCheck(check: () => readonly string[]): void {
    this.#checks.push(check);
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Returns the unmet conditions. Empty means ready. */
  missing(): readonly string[] {
    if (this.#stopping) return [shuttingDown];
    return [...this.#missing, ...this.#checks.flatMap((check) => check())];
  }
}
