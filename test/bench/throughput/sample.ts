import type { Counts } from './receiver/messages.ts';
import type { Usage } from './process-usage.ts';

/** What one run came to. */
export interface Sample {
  readonly peakMemoryMiB: number;
  /** CPU seconds per 10,000 deliveries (or records, where nothing is delivered). */
  readonly cpu?: number;
  readonly perSecond?: number;
  /** Connections opened per delivery. */
  readonly connections?: number;
  /** Of the connections to endpoints that had one before, the part that resumed its TLS session. */
  readonly resumed?: number;
  /** The part of a core that the receiver was busy for: well below 1, or it is what was measured. */
  readonly receiverBusy?: number;
  /** The part of a core that the service was busy for. */
  readonly busy?: number;
  /** From its start. */
  readonly readyAfterS?: number;
  /** Once it was ready. */
  readonly residentMiB?: number;
  /** Of the event loop. */
  readonly longestTurnMs?: number;
  readonly longestTurnOnceReadyMs?: number;
  /** From a change of a configuration to a request by it, at most. */
  readonly updateMs?: number;
  /** Per delivery, those that fail included. */
  readonly requests?: number;
  /** From the end of a failure to the last 2xx of what it held up. */
  readonly recoveredAfterS?: number;
  /** Milliseconds from when a record was to be written, or a retry was due, to its 2xx. */
  readonly p50?: number;
  readonly p99?: number;
}

export type Quantity = keyof Sample;

/** A moment of a run: what had come by then, and what it had cost. */
export interface Moment<Seen = Counts> {
  readonly counts: Seen;
  readonly usage: Usage;
}

type Cost = Required<Pick<Sample, 'cpu' | 'perSecond' | 'peakMemoryMiB'>>;

/** Of whatever is read or sent. */
export function costBetween(from: Moment<Progress>, to: Moment<Progress>): Cost {
  const requests = to.counts.requests - from.counts.requests;
  return {
    cpu: ((to.usage.cpuSeconds - from.usage.cpuSeconds) / requests) * 10_000,
    perSecond: requests / secondsBetween(from, to),
    peakMemoryMiB: to.usage.peakMemoryMiB,
  };
}

/** Of what was sent to the receiver. */
export function sampleBetween(from: Moment, to: Moment): Sample {
  return {
    ...costBetween(from, to),
    // Those of the warm-up are part of it: without them most would have been opened before.
    connections: to.counts.connections / to.counts.requests,
    ...(to.counts.again === 0 ? {} : { resumed: to.counts.resumed / to.counts.again }),
    receiverBusy: (to.counts.cpuSeconds - from.counts.cpuSeconds) / secondsBetween(from, to),
  };
}

type Progress = Pick<Counts, 'requests' | 'at'>;

function secondsBetween(from: Moment<Progress>, to: Moment<Progress>): number {
  return (to.counts.at - from.counts.at) / 1000;
}
