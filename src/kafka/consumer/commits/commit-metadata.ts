import { createHash } from 'node:crypto';

/**
 * The metadata of a commit: `w1:`, the ranges in base64, and two marks of eight digits for the cluster and eight for a topic.
 * The mark after `#` is the configurations topic that was last complete. The mark after `@` is the topic of the offset.
 *
 * | Text                                        | Written by                                                           |
 * | ------------------------------------------- | -------------------------------------------------------------------- |
 * | `w1:AQE=#1a2b3c4d0f1e2d3c@1a2b3c4d5e6f7081` | this version                                                         |
 * | `w1:AQE=@1a2b3c4d5e6f7081`                  | earlier versions, and with configurations from files                 |
 * | `w1:AQE=@5e6f7081`                          | still earlier versions, and with a cluster that has no id            |
 * | `w1:AQE=`                                   | with brokers that have no topic ids                                  |
 *
 * Earlier versions read the mark after `@` in the first form, and start at the committed offset without the ranges.
 */
export interface CommitMetadata {
  readonly settled: readonly SettledRange[];
  /** Undefined if the commit does not name its log. */
  readonly mark: LogMark | undefined;
  /** Undefined if the commit names no configurations topic. */
  readonly configurations?: LogMark | undefined;
}

/** Names the log that an offset belongs to. A topic that is deleted and created again keeps its name. */
export interface LogMark {
  /** Undefined in commits of earlier versions, and if the cluster has no id. */
  readonly cluster: string | undefined;
  readonly topic: string;
}

/**
 * - `same`: offset and ranges count. Also if one of the marks is unknown.
 * - `recreated`: the topic was deleted and created again in this cluster. Offset and ranges mean nothing.
 * - `other_cluster`: a tool copied the commit from another cluster, and translated the offset. Ranges mean nothing.
 */
export type LogRelation = 'same' | 'recreated' | 'other_cluster';

/** Neither sign is one of base64. */
const form = /^(?<settled>[^#@]*)(?:#(?<configurations>(?:[0-9a-f]{8}){1,2}))?(?:@(?<log>(?:[0-9a-f]{8}){1,2}))?$/v;
/** Digits of each mark, enough to distinguish two topics of one name, and the clusters of one operator. */
const digits = 8;

/** Takes a topic id in hexadecimal digits, and the text that the cluster uses as its id. */
export function logMark(clusterId: string | undefined, topicId: string): LogMark {
  // Kafka does not define the form of a cluster id, so it is hashed.
  const hash = clusterId === undefined ? undefined : createHash('sha256').update(clusterId).digest('hex');
  return { cluster: hash?.slice(0, digits), topic: topicId.slice(0, digits) };
}

export function relationOf(committed: LogMark | undefined, current: LogMark | undefined): LogRelation {
  if (committed === undefined || current === undefined) return 'same';
  const areClustersKnown = committed.cluster !== undefined && current.cluster !== undefined;
  if (areClustersKnown && committed.cluster !== current.cluster) return 'other_cluster';
  return committed.topic === current.topic ? 'same' : 'recreated';
}

/** Returns the ranges that fit, followed by the marks. The marks take precedence when space is short. */
export function encodeMetadata(
  position: number,
  { settled, mark, configurations }: CommitMetadata,
  maxBytes: number,
): string {
  const suffix = `${encodeMark('#', configurations)}${encodeMark('@', mark)}`;
  if (maxBytes < settledPrefix.length + suffix.length) return encodeSettled(position, settled, maxBytes);
  const ranges = encodeSettled(position, settled, maxBytes - suffix.length);
  return ranges === '' && suffix !== '' ? `${settledPrefix}${suffix}` : `${ranges}${suffix}`;
}

/** Reads what `encodeMetadata` wrote. Any other text counts as empty. */
export function decodeMetadata(position: number, metadata: string): CommitMetadata {
  const { settled = '', configurations, log } = form.exec(metadata)?.groups ?? {};
  if (!settled.startsWith(settledPrefix)) return { settled: [], mark: undefined, configurations: undefined };
  const [mark, complete] = [decodeMark(log), decodeMark(configurations)];
  return { settled: decodeSettled(position, settled), mark, configurations: complete };
}

function encodeMark(sign: string, mark: LogMark | undefined): string {
  return mark === undefined ? '' : `${sign}${mark.cluster ?? ''}${mark.topic}`;
}

function decodeMark(text: string | undefined): LogMark | undefined {
  if (text === undefined) return undefined;
  return { cluster: text.slice(0, -digits) || undefined, topic: text.slice(-digits) };
}

/** Consecutive settled offsets. The end is exclusive. */
export interface SettledRange {
  readonly start: number;
  readonly end: number;
}

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
