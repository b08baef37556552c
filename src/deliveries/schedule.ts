/** The tiers in which deliveries wait for their next attempt. Tiers count from zero. */
export interface Schedule {
  /** The delay of each tier, strictly ascending. */
  readonly delaysMs: readonly number[];
  /** The greatest age of a delivery when it is due, counted from the time it was planned. */
  readonly maxAgeMs: number;
}

/**
 * Returns the tier that follows the attempt with this number, or undefined after the last tier. That one is repeated while the
 * delivery is younger than all delays together: one of its waits was shorter, see `tierWithin`.
 * A longer `Retry-After` leads to the first later tier that is at least as long, or to the last one.
 */
export function retryTier(
  { delaysMs }: Schedule,
  attempt: number,
  retryAfterMs: number,
  ageMs = Number.POSITIVE_INFINITY,
): number | undefined {
  const isSpent = attempt > delaysMs.length;
  if (isSpent && ageMs >= delaysMs.reduce((sum, delayMs) => sum + delayMs, 0)) return undefined;
  const own = Math.min(attempt, delaysMs.length) - 1;
  const long = delaysMs.findIndex((delayMs, tier) => tier >= own && delayMs >= retryAfterMs);
  return long === -1 ? delaysMs.length - 1 : long;
}

/**
 * Returns the tier of a deferral. Each deferral since the last attempt leads one tier further, and the last tier
 * repeats. A delivery is thus written once to each tier at most, and then once per longest delay.
 */
export function deferTier({ delaysMs }: Schedule, attempt: number, deferrals: number): number {
  return Math.min(attempt - 1 + deferrals, delaysMs.length - 1);
}

/**
 * Returns the tier if it ends within the time that the delivery has left. Otherwise returns the longest shorter one that does,
 * unless that is shorter than `leastMs` or than a twentieth of the greatest age: such a wait is not worth a write. Without
 * this, an attempt between deferrals would end a delivery at half of that age, because its long waits begin again.
 */
export function tierWithin({ delaysMs, maxAgeMs }: Schedule, tier: number, leftMs: number, leastMs = 0): number {
  const least = Math.max(leastMs, maxAgeMs / 20);
  const fitting = delaysMs.findLastIndex((delayMs, index) => index <= tier && delayMs <= leftMs);
  return fitting === tier || (delaysMs[fitting] ?? 0) >= least ? fitting : tier;
}

/** Returns the longest tier whose delay ends within `waitMs`, or the first tier if none does. */
export function tierForWait({ delaysMs }: Schedule, waitMs: number): number {
  const longest = delaysMs.findLastIndex((delayMs) => delayMs <= waitMs);
  return Math.max(0, longest);
}

/** A record of a tier, in wall times. Its writer had another wall clock, or one that was set since. */
interface TierRecord {
  readonly dueAt: number;
  /** Undefined when the broker refused the writer's timestamp. */
  readonly writtenAt: number | undefined;
  readonly delayMs: number;
  /** The time for which the record has been in the tier at least, by the reader's monotonic clock. */
  readonly inLogForMs: number;
}

/**
 * Returns the waits of a record that is read at `now`: until its delivery is due, negative if it is overdue, and until the tier
 * releases it. The reader measures them by its monotonic clock. Neither is longer than its writer planned, and the tier holds a
 * record for its delay at most. Both count from when the record was in the log. A wall clock that was set back thus delays
 * nothing, not even a backlog that is read in parts.
 */
export function tierWait({ dueAt, writtenAt, delayMs, inLogForMs }: TierRecord, now: number) {
  const plannedMs = writtenAt === undefined ? delayMs : dueAt - writtenAt;
  const dueInMs = Math.min(dueAt - now, plannedMs - inLogForMs);
  const restMs = delayMs - inLogForMs;
  const stayMs = writtenAt === undefined ? restMs : Math.min(writtenAt + delayMs - now, restMs);
  return { dueInMs, holdMs: Math.max(0, Math.min(dueInMs, stayMs)) };
}
