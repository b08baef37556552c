import type { CheckResult } from '../checks/check-evidence.ts';

/** One row of the report. */
export interface FaultReport {
  /** The fault and how often it was injected. */
  readonly fault: string;
  readonly seed: number;
  readonly scale: 'short' | 'full';
  readonly durationMs: number;
  readonly result: CheckResult;
}

declare module 'vitest' {
  interface TaskMeta {
    /** The report of this test's fault. */
    chaos?: FaultReport;
  }
}
