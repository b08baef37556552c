/** Ordered from the largest, because `formatSize` takes the first that fits. */
const units = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['B', 1],
] as const;

/** Returns the bytes of a size such as `512B`, `64KiB`, `1MiB` or `2GiB`, or undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^(\d+)(B|KiB|MiB|GiB)$/.exec(text) ?? [];
  const unitBytes = units.find(([name]) => name === unit)?.[1];
  if (digits === undefined || unitBytes === undefined) return undefined;
  const bytes = Number(digits) * unitBytes;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Formats bytes in the largest unit that leaves a whole number: 65,536 is `64KiB`, zero is `0B`. */
export function formatSize(bytes: number): string {
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new RangeError(`A size is a whole number of bytes from 0, not ${bytes}.`);
  }
  const [name, unitBytes] = units.find(([, unit]) => bytes >= unit && bytes % unit === 0) ?? (['B', 1] as const);
  return `${bytes / unitBytes}${name}`;
}
