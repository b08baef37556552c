/** The figures of one group of deliveries in one run. Times are in ms. */
export interface GroupFigures {
  /** The deliveries that the written certificates require. */
  readonly expected: number;
  readonly delivered: number;
  /** The time from the append of the certificate to the first request for the delivery. */
  readonly queueing: { readonly p99: number; readonly max: number };
  /** The p99 of the time from the append of the certificate to its 2xx. */
  readonly latencyP99: number;
  /** From the first append of a certificate to the last delivery. */
  readonly perSecond: number;
  /** The deliveries that were written to a tier at least once. */
  readonly throughTier: number;
  /** The most often that one delivery was written to a tier. */
  readonly maxWrites: number;
}

export interface Figures {
  readonly groups: Readonly<Record<string, GroupFigures>>;
  /** The most requests that started in one turn of the event loop. */
  readonly maxStartedInTurn: number;
  /** The most deliveries that were deferred in one turn of the event loop, without a request. */
  readonly maxDeferredInTurn: number;
  /** The most deliveries that were started and not settled while a batch was written to a tier. */
  readonly maxUnsettled: number;
  readonly longestTurnMs: number;
  /** The most by which the heap grew since before the start. Zero if not measured. It alone differs between runs. */
  readonly heapGrowthBytes: number;
}

/** Returns the figures of one group. Throws if the run had no such deliveries. */
export function groupIn({ groups }: Figures, name: string): GroupFigures {
  const found = groups[name];
  if (found === undefined) throw new Error(`the run has no deliveries of the group ${name}`);
  return found;
}

/** Returns the smallest value that at least this part of all values do not exceed. */
export function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
