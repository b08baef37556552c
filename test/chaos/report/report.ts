import { availableParallelism, totalmem } from 'node:os';
import type { FaultReport } from './fault-report.ts';

/** The results of one run of the suite, and the machine that it ran on. */
export interface Report {
  /** The ISO 8601 date, without the time. */
  readonly date: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly faults: readonly FaultReport[];
}

export function reportOf(faults: readonly FaultReport[], now: Date): Report {
  return {
    date: now.toISOString().slice(0, 10),
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    faults,
  };
}
