import { Queue } from '../../lib/queue.ts';

/** The most ends that are remembered. Later ones are left out, and their records count as younger than they are. */
const maxEnds = 64;
/** The least time in ms between two ends that are remembered. */
const spacingMs = 1000;

/**
 * Knows since when records of one partition have been in its log at least. Each fetch tells where the log ends, so it dates
 * a whole backlog, however slowly that is read. Callers pass monotonic times.
 */
export class LogGrowth {
  /** Ends of the log with the times at which they were seen, in the order of both. */
  readonly #ends = new Queue<{ readonly end: number; readonly seenAt: number }>();
  #last = { end: 0, seenAt: Number.NEGATIVE_INFINITY };

  /** Notes that the log ended there, or later. */
  note(end: number, seenAt: number): void {
    if (end <= this.#last.end || seenAt - this.#last.seenAt < spacingMs || this.#ends.length >= maxEnds) return;
    this.#last = { end, seenAt };
    this.#ends.push(this.#last);
  }

  /** Returns a time at which the record was in the log, at most `now`. Ask in the order of offsets. */
  inLogSince(offset: number, now: number): number {
    for (let first = this.#ends.peek(); first !== undefined; first = this.#ends.peek()) {
      if (offset < first.end) return first.seenAt;
      this.#ends.shift();
    }
    return now;
  }
}
