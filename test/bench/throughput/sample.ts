import type { Usage } from './process-usage.ts';
import type { Counts } from './receiver/receiver-process.ts';

/** The measured quantities of one run. */
export interface Sample {
  readonly peakMemoryMiB: number;
  /** CPU seconds per 10,000 deliveries, or per 10,000 records if nothing is delivered. */
  readonly cpu?: number;
  readonly perSecond?: number;
  /** Connections opened per delivery. */
  readonly connections?: number;
  /** The cores that the receiver used. Near 1 the receiver is the bottleneck, and the other figures are its own. */
  readonly receiverCores?: number;
  /** The cores that the service used. */
  readonly cores?: number;
  /** Seconds from the start of the process. */
  readonly readyAfterS?: number;
  /** Resident memory once it was ready. */
  readonly residentMiB?: number;
  /** The longest delay of the event loop until the service was ready, and since then. */
  readonly startupLoopDelayMs?: number;
  readonly loopDelayMs?: number;
  /** The longest time from the change of a configuration to a request that follows it. */
  readonly changeMs?: number;
  /** Milliseconds from the time at which a record was to be written to its 2xx. */
  readonly p50?: number;
  readonly p99?: number;
}

export type Quantity = keyof Sample;

/** Counts and usage at one point of a run. */
export interface Checkpoint<PartialCounts = Counts> {
  readonly counts: PartialCounts;
  readonly usage: Usage;
}

type Cost = Required<Pick<Sample, 'cpu' | 'perSecond' | 'peakMemoryMiB'>>;

/** Returns the cost of requests, or of records, between two checkpoints. */
export function costBetween(from: Checkpoint<Progress>, to: Checkpoint<Progress>): Cost {
  const requests = to.counts.requests - from.counts.requests;
  return {
    cpu: ((to.usage.cpuSeconds - from.usage.cpuSeconds) / requests) * 10_000,
    perSecond: requests / secondsBetween(from, to),
    peakMemoryMiB: to.usage.peakMemoryMiB,
  };
}

/** Returns the sample of a system that sends to the receiver. */
export function sampleBetween(from: Checkpoint, to: Checkpoint): Sample {
  return {
    ...costBetween(from, to),
    // The warm-up counts: most connections are opened during it.
    connections: to.counts.connections / to.counts.requests,
    receiverCores: (to.counts.cpuSeconds - from.counts.cpuSeconds) / secondsBetween(from, to),
  };
}

type Progress = Pick<Counts, 'requests' | 'at'>;

function secondsBetween(from: Checkpoint<Progress>, to: Checkpoint<Progress>): number {
  return (to.counts.at - from.counts.at) / 1000;
}
