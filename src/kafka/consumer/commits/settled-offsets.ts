/** Consecutive settled offsets. The end is exclusive. */
export interface SettledRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the ranges of a partition that are settled according to the metadata of the group's commit. */
export type SettledBefore = (topic: string, partition: number) => readonly SettledRange[];

/** Longest metadata of a commit that brokers accept by default (`offset.metadata.max.bytes`). */
export const maxMetadataBytes = 4096;

/** Version of the format. It distinguishes this text from a later version, and from what other tools write. */
export const settledPrefix = 'w1:';

/**
 * Encodes the ranges above a commit's position as text for its metadata. The text is base64 of LEB128 numbers: how many
 * offsets are unsettled, how many are settled, and so on. Stops at the first range that does not fit. The records of
 * omitted ranges are handled again after a restart. Returns an empty text if there is nothing to encode.
 */
export function encodeSettled(
  position: number,
  ranges: readonly SettledRange[],
  maxBytes: number = maxMetadataBytes,
): string {
  const room = Math.floor((maxBytes - settledPrefix.length) / 4) * 3;
  const bytes: number[] = [];
  let from = position;
  for (const { start, end } of ranges) {
    const { length } = bytes;
    pushLeb128(bytes, start - from);
    pushLeb128(bytes, end - start);
    if (bytes.length > room) {
      bytes.length = length;
      break;
    }
    from = end;
  }
  return bytes.length === 0 ? '' : `${settledPrefix}${Buffer.from(bytes).toString('base64')}`;
}

/** Decodes what `encodeSettled` wrote. Any other text gives no ranges. */
export function decodeSettled(position: number, metadata: string): readonly SettledRange[] {
  if (!metadata.startsWith(settledPrefix)) return [];
  const text = metadata.slice(settledPrefix.length);
  const bytes = Buffer.from(text, 'base64');
  // Node skips characters that are not base64.
  if (bytes.toString('base64') !== text) return [];
  const lengths = readLeb128(bytes);
  // Only the first range may start at the position: it was settled earlier and has not been read again.
  if (lengths === undefined || lengths.length % 2 === 1 || lengths.slice(1).includes(0)) return [];
  return toRanges(position, lengths);
}

function toRanges(position: number, lengths: readonly number[]): readonly SettledRange[] {
  const ranges: SettledRange[] = [];
  let end = position;
  for (const [index, length] of lengths.entries()) {
    if (index % 2 === 1) ranges.push({ start: end, end: end + length });
    end += length;
  }
  return Number.isSafeInteger(end) ? ranges : [];
}

/** Appends seven bits a byte, the lowest first. The eighth bit says that more bytes follow. */
function pushLeb128(bytes: number[], number: number): void {
  let remaining = number;
  for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) bytes.push((remaining % 0x80) + 0x80);
  bytes.push(remaining);
}

/** Returns undefined if the last number is incomplete, or one is larger than any offset. */
function readLeb128(bytes: Uint8Array): readonly number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let factor = 1;
  for (const byte of bytes) {
    number += (byte % 0x80) * factor;
    if (!Number.isSafeInteger(number)) return undefined;
    factor *= 0x80;
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
    factor = 1;
  }
  return factor === 1 ? numbers : undefined;
}
