/** Units by name, ordered from the largest, because `format` takes the first that fits. The last one is 1. */
type Units = readonly (readonly [name: string, amount: number])[];

/** In milliseconds. */
const durations: Units = Object.entries({ h: 3_600_000, m: 60_000, s: 1_000, ms: 1 });
/** In bytes. */
const sizes: Units = Object.entries({ GiB: 1024 ** 3, MiB: 1024 ** 2, KiB: 1024, B: 1 });

/** Returns the milliseconds of a duration such as `250ms`, `10s`, `5m` or `24h`, or undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  return parse(text, durations);
}

/** Formats milliseconds in the largest unit that leaves a whole number: 600,000 is `10m`, 90,000 is `90s`, zero `0ms`. */
export function formatDuration(durationMs: number): string {
  return format(durationMs, durations);
}

/** Returns the bytes of a size such as `512B`, `64KiB`, `1MiB` or `2GiB`, or undefined for any other text. */
export function parseSize(text: string): number | undefined {
  return parse(text, sizes);
}

/** Formats bytes in the largest unit that leaves a whole number: 65,536 is `64KiB`, zero is `0B`. */
export function formatSize(bytes: number): string {
  return format(bytes, sizes);
}

function parse(text: string, units: Units): number | undefined {
  const [, digits, unit] = /^(\d+)([a-z]+)$/i.exec(text) ?? [];
  const [, amount] = units.find(([name]) => name === unit) ?? [];
  if (digits === undefined || amount === undefined) return undefined;
  const total = Number(digits) * amount;
  return Number.isSafeInteger(total) ? total : undefined;
}

function format(total: number, units: Units): string {
  const [name, amount] = units.find(([, one]) => total >= one && total % one === 0) ?? units.at(-1) ?? ['', 1];
  if (!Number.isSafeInteger(total) || total < 0) throw new RangeError(`${total} ${name} is no whole number from 0`);
  return `${total / amount}${name}`;
}
