/** Offsets in a row that are settled, the end not among them. */
export interface SettledRange {
  readonly start: number;
  readonly end: number;
}

/** What brokers take as a commit's metadata unless they are told otherwise (`offset.metadata.max.bytes`). */
export const maxMetadataBytes = 4096;

/** Names the form, so that a later one, another tool's text and an empty one are told apart. */
export const settledPrefix = 'w1:';

/**
 * The ranges from a commit's position on as text for its metadata: in turn how many offsets are not settled and how many
 * are, as LEB128 numbers in base64. Ranges that do not fit are left out from the first such on: their records are
 * repeated after a restart. Empty when there is nothing to say.
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

/** The ranges again; none when the text is anything else than what `encodeSettled` writes. */
export function decodeSettled(position: number, metadata: string): readonly SettledRange[] {
  if (!metadata.startsWith(settledPrefix)) return [];
  const text = metadata.slice(settledPrefix.length);
  const bytes = Buffer.from(text, 'base64');
  // Node reads over what is not base64.
  if (bytes.toString('base64') !== text) return [];
  const lengths = readLeb128(bytes);
  // Only the first range may begin where the position is: it was settled before and has not been read again.
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

/** Seven bits a byte, the lowest first; the eighth says that more follow. */
function pushLeb128(bytes: number[], number: number): void {
  let rest = number;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
}

/** Undefined when the last number has no end, or one is larger than any offset. */
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
