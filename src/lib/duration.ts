/** Ordered from the largest, because `formatDuration` takes the first that fits. */
const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Returns the milliseconds of a duration such as `250ms`, `10s`, `5m` or `24h`, or undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = units.find(([name]) => name === unit)?.[1];
  if (digits === undefined || unitMs === undefined) return undefined;
  const durationMs = Number(digits) * unitMs;
  return Number.isSafeInteger(durationMs) ? durationMs : undefined;
}

/** Formats milliseconds in the largest unit that leaves a whole number: 600,000 is `10m`, 90,000 is `90s`, zero `0ms`. */
export function formatDuration(durationMs: number): string {
  if (!Number.isSafeInteger(durationMs) || durationMs < 0) {
    throw new RangeError(`A duration is a whole number of milliseconds from 0, not ${durationMs}.`);
  }
  const [name, unitMs] = units.find(([, ms]) => durationMs >= ms && durationMs % ms === 0) ?? (['ms', 1] as const);
  return `${durationMs / unitMs}${name}`;
}
