import { quantile } from '../quantile.ts';
import type { Run } from './experiment.ts';
import type { Arrival } from './receiver/messages.ts';

/** What several runs of the same came to, taken together. */
export interface Measured {
  /** From the write of the record to the 2xx, and to the last byte of the request. */
  readonly p99Ms: number;
  readonly untilRequestP99Ms: number;
  /** Of a backlog, until its last delivery. */
  readonly perSecond: number;
  readonly stolen: number;
}

/** Of these endpoints. A late delivery counts the same in whichever run it was, and so does a second of a backlog. */
export function together(runs: readonly Run[], isMeasured: (endpoint: number) => boolean): Measured {
  const own = (arrivals: readonly Arrival[]): readonly Arrival[] =>
    arrivals.filter(({ endpoint }) => isMeasured(endpoint));
  const steady = runs.flatMap((run) => own(run.steady));
  const backlogs = runs.map((run) => own(run.backlog));
  return {
    p99Ms: quantile(latenciesOf(steady), 0.99),
    untilRequestP99Ms: quantile(
      steady.map(({ writtenAt, receivedAt }) => receivedAt - writtenAt),
      0.99,
    ),
    perSecond: (backlogs.flat().length / sum(backlogs.map(durationOf))) * 1000,
    stolen: sum(runs.map(({ stolen }) => stolen)) / runs.length,
  };
}

/** From the write of the record to the 2xx, in milliseconds, as `delivery_latency_seconds` has it. */
export function latenciesOf(arrivals: readonly Arrival[]): readonly number[] {
  return arrivals.map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
}

function durationOf(arrivals: readonly Arrival[]): number {
  const first = arrivals.reduce((least, { writtenAt }) => Math.min(least, writtenAt), Number.POSITIVE_INFINITY);
  const last = arrivals.reduce((most, { answeredAt }) => Math.max(most, answeredAt), 0);
  return last - first;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
