import { quantile } from '../quantile.ts';
import type { Run } from './experiment.ts';
import type { Arrival } from './receiver/messages.ts';

/** The figures of several runs of the same variant. */
export interface Measurement {
  /** Time from the write of the record to the 2xx. */
  readonly p99Ms: number;
  /** Time from the write of the record to the last byte of the request. */
  readonly requestP99Ms: number;
  /** Throughput of a backlog, until its last delivery. */
  readonly perSecond: number;
  readonly stealShare: number;
}

/** Pools the deliveries of all runs to these endpoints, so that each late delivery has the same weight. */
export function combineRuns(runs: readonly Run[], has: (endpoint: number) => boolean): Measurement {
  const own = (arrivals: readonly Arrival[]): readonly Arrival[] => arrivals.filter(({ endpoint }) => has(endpoint));
  const steady = runs.flatMap((run) => own(run.steady));
  const backlogs = runs.map((run) => own(run.backlog));
  return {
    p99Ms: quantile(latenciesOf(steady), 0.99),
    requestP99Ms: quantile(
      steady.map(({ writtenAt, receivedAt }) => receivedAt - writtenAt),
      0.99,
    ),
    perSecond: (backlogs.flat().length / sum(backlogs.map(durationOf))) * 1000,
    stealShare: sum(runs.map(({ stealShare }) => stealShare)) / runs.length,
  };
}

/** Returns milliseconds from the write of the record to the 2xx, as `delivery_latency_seconds` counts them. */
export function latenciesOf(arrivals: readonly Arrival[]): readonly number[] {
  return arrivals.map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
}

function durationOf(arrivals: readonly Arrival[]): number {
  const first = arrivals.reduce((earliest, { writtenAt }) => Math.min(earliest, writtenAt), Number.POSITIVE_INFINITY);
  const last = arrivals.reduce((latest, { answeredAt }) => Math.max(latest, answeredAt), 0);
  return last - first;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
