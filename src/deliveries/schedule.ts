/** When a delivery is tried again, and in which tier it waits until then. Tiers count from zero. */
export interface Schedule {
  /** One delay a tier, strictly ascending. */
  readonly delaysMs: readonly number[];
  /** How old a delivery may be when it is due, counted from when it was planned. */
  readonly maxAgeMs: number;
}

/**
 * The tier after the attempt with that number, or the first later one at least as long as what the endpoint asked for
 * by `Retry-After`. Undefined once the tiers are spent.
 */
export function retryTier({ delaysMs }: Schedule, attempt: number, retryAfterMs: number): number | undefined {
  const own = attempt - 1;
  if (own >= delaysMs.length) return undefined;
  const long = delaysMs.findIndex((delayMs, tier) => tier >= own && delayMs >= retryAfterMs);
  return long === -1 ? delaysMs.length - 1 : long;
}

/**
 * The tier of a deferral: one further for each since the last attempt, the last one repeating. So a delivery is written
 * once a tier at most and then once per longest delay, however long its endpoint is down.
 */
export function deferTier({ delaysMs }: Schedule, attempt: number, deferrals: number): number {
  return Math.min(attempt - 1 + deferrals, delaysMs.length - 1);
}

/** The longest tier that is over by then; the first if none is. */
export function tierForWait({ delaysMs }: Schedule, waitMs: number): number {
  return Math.max(
    0,
    delaysMs.findLastIndex((delayMs) => delayMs <= waitMs),
  );
}

/** When a tier lets go of a record: when it is due, or once the tier's delay is over, for the next tier to hold it. */
export function heldUntil(dueAt: number, writtenAt: number, delayMs: number): number {
  return Math.min(dueAt, writtenAt + delayMs);
}
