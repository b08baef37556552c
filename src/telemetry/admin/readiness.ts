/** What it says once it has begun to stop. */
export const shuttingDown = 'shutting down';

/**
 * What keeps the service from its work: what it has not reached since it started, and what fails at present. From the
 * moment it begins to stop it is not ready any more.
 */
export class Readiness {
  readonly #missing: Set<string>;
  readonly #failing: (() => readonly string[])[] = [];
  #stopping = false;

  /** What has to be reached, in words for people. */
  constructor(awaited: readonly string[]) {
    this.#missing = new Set(awaited);
  }

  reached(what: string): void {
    this.#missing.delete(what);
  }

  /** Asked each time for what fails at present, in words for people. */
  watch(failing: () => readonly string[]): void {
    this.#failing.push(failing);
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Empty when ready. */
  missing(): readonly string[] {
    if (this.#stopping) return [shuttingDown];
    return [...this.#missing, ...this.#failing.flatMap((failing) => failing())];
  }
}
