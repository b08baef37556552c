/** From the largest, as `formatDuration` tries them. */
const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Milliseconds of a duration such as `250ms`, `10s`, `5m` or `24h`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = units.find(([name]) => name === unit)?.[1];
  if (digits === undefined || unitMs === undefined) return undefined;
  const durationMs = Number(digits) * unitMs;
  return Number.isSafeInteger(durationMs) ? durationMs : undefined;
}

/** In the largest unit that leaves a whole number: 600,000 ms is `10m`, 90,000 ms is `90s`. Nothing at all is `0ms`. */
export function formatDuration(durationMs: number): string {
  if (!Number.isSafeInteger(durationMs) || durationMs < 0) {
    throw new RangeError(`A duration is a whole number of milliseconds from 0, not ${durationMs}.`);
  }
  const [name, unitMs] = units.find(([, ms]) => durationMs >= ms && durationMs % ms === 0) ?? (['ms', 1] as const);
  return `${durationMs / unitMs}${name}`;
}
