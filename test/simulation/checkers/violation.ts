/** What is wrong with a run. */
export interface Violation {
  readonly invariant: Invariant;
  readonly problem: string;
  /** Milliseconds from the beginning of the run. */
  readonly at: number;
}

/** As `docs/guarantees.md` numbers them; `once` is what it says subject duplicates. */
export const invariants = ['I1', 'I2', 'I3', 'I4', 'I9', 'I10', 'once'] as const;
export type Invariant = (typeof invariants)[number];
