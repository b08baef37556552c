import { quantile } from '../quantile.ts';
import type { Run } from './experiment.ts';

/** What several runs of the same came to, taken together. */
export interface Measured {
  /** From the write of the record to the 2xx, and to the last byte of the request. */
  readonly p99Ms: number;
  readonly untilRequestP99Ms: number;
  readonly perSecond: number;
  readonly stolen: number;
}

/** A late delivery counts the same in whichever run it was, and so does a second of a backlog. */
export function together(runs: readonly Run[]): Measured {
  const sum = (of: (run: Run) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const p99 = (of: (run: Run) => readonly number[]): number => quantile(runs.flatMap(of), 0.99);
  return {
    p99Ms: p99(({ latenciesMs }) => latenciesMs),
    untilRequestP99Ms: p99(({ untilRequestMs }) => untilRequestMs),
    perSecond: (sum(({ backlog }) => backlog.deliveries) / sum(({ backlog }) => backlog.ms)) * 1000,
    stolen: sum(({ stolen }) => stolen) / runs.length,
  };
}
