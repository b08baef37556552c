/** A broken invariant, with the problem in words. */
export interface Violation {
  readonly invariant: Invariant;
  readonly problem: string;
  /** Milliseconds from the start of the run. */
  readonly at: number;
}

/**
 * The promises of `docs/guarantees.md`. `no_duplicates` comes from its table of duplicates, `results` from `docs/results.md`,
 * `webhook_limits` from `docs/producers.md`.
 */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I9' | 'I10' | 'no_duplicates' | 'results' | 'webhook_limits';
