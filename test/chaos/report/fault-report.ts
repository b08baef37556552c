import type { Verdict } from '../checks/check-evidence.ts';

/** One row of the report. */
export interface FaultReport {
  /** What was done, and how often. */
  readonly fault: string;
  readonly seed: number;
  readonly scale: 'short' | 'full';
  readonly durationMs: number;
  readonly verdict: Verdict;
}

declare module 'vitest' {
  interface TaskMeta {
    /** What the report says of this test's fault. */
    chaos?: FaultReport;
  }
}
