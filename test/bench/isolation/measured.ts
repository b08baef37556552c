import { quantile } from '../quantile.ts';
import type { Run } from './experiment.ts';

/** What several runs of the same came to, taken together. */
export interface Measured {
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly stolen: number;
}

/** A late delivery counts the same in whichever run it was, and so does a second of a backlog. */
export function together(runs: readonly Run[]): Measured {
  const sum = (of: (run: Run) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    p99Ms: quantile(
      runs.flatMap(({ latenciesMs }) => latenciesMs),
      0.99,
    ),
    perSecond: (sum(({ backlog }) => backlog.deliveries) / sum(({ backlog }) => backlog.ms)) * 1000,
    stolen: sum(({ stolen }) => stolen) / runs.length,
  };
}
