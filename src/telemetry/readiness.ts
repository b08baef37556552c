/** What is still missing before the service does its work. Once nothing is, it is ready until it begins to stop. */
export class Readiness {
  readonly #missing: Set<string>;
  #stopping = false;

  /** What has to be reached, in words for people. */
  constructor(awaited: readonly string[]) {
    this.#missing = new Set(awaited);
  }

  reached(what: string): void {
    this.#missing.delete(what);
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Empty when ready. */
  missing(): readonly string[] {
    return this.#stopping ? ['shutting down'] : [...this.#missing];
  }
}
