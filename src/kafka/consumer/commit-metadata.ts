import { decodeSettled, encodeSettled, settledPrefix, type SettledRange } from './settled-offsets.ts';

export interface CommitMetadata {
  /** Ranges that are settled above the committed offset. */
  readonly settled: readonly SettledRange[];
  /** Mark of the topic that the offset belongs to. A topic that is deleted and created again keeps its name. */
  readonly topicMark: string | undefined;
}

const form = /^(?<settled>.*)@(?<mark>[0-9a-f]{8})$/s;
/** Bytes of the mark and of the `@` before it. */
const markLength = 9;

/** Returns the first eight digits of a topic's id, enough to distinguish two topics of one name. */
export function topicMark(topicId: string): string {
  return topicId.slice(0, markLength - 1);
}

/** Returns the ranges that fit, followed by the mark. The mark takes precedence when space is short. */
export function encodeMetadata(
  position: number,
  { settled, topicMark: mark }: CommitMetadata,
  maxBytes: number,
): string {
  if (mark === undefined || maxBytes < settledPrefix.length + markLength)
    return encodeSettled(position, settled, maxBytes);
  const ranges = encodeSettled(position, settled, maxBytes - markLength);
  return `${ranges === '' ? settledPrefix : ranges}@${mark}`;
}

/** Reads what `encodeMetadata` wrote. Any other text counts as empty. */
export function decodeMetadata(position: number, metadata: string): CommitMetadata {
  const { settled = metadata, mark } = form.exec(metadata)?.groups ?? {};
  if (!settled.startsWith(settledPrefix)) return { settled: [], topicMark: undefined };
  return { settled: decodeSettled(position, settled), topicMark: mark };
}
