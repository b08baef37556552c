import { decodeSettled, encodeSettled, settledPrefix, type SettledRange } from './settled-offsets.ts';

/** What a commit says besides its offset. */
export interface CommitMetadata {
  /** What is settled above the offset. */
  readonly settled: readonly SettledRange[];
  /** Tells which log the offset is of: a topic that is deleted and made anew keeps its name. */
  readonly topicMark: string | undefined;
}

const form = /^(?<settled>.*)@(?<log>[0-9a-f]{8})$/s;
const markLength = 9;

/** A short mark of a topic's id. */
export function topicMark(topicId: string): string {
  return topicId.slice(0, markLength - 1);
}

/** The ranges as far as they fit, and behind them the mark. */
export function encodeMetadata(
  position: number,
  { settled, topicMark: log }: CommitMetadata,
  maxBytes: number,
): string {
  if (log === undefined || maxBytes < settledPrefix.length + markLength)
    return encodeSettled(position, settled, maxBytes);
  const ranges = encodeSettled(position, settled, maxBytes - markLength);
  return `${ranges === '' ? settledPrefix : ranges}@${log}`;
}

/** Nothing of either when the text is anything else than what `encodeMetadata` writes. */
export function decodeMetadata(position: number, metadata: string): CommitMetadata {
  const { settled = metadata, log } = form.exec(metadata)?.groups ?? {};
  if (!settled.startsWith(settledPrefix)) return { settled: [], topicMark: undefined };
  return { settled: decodeSettled(position, settled), topicMark: log };
}
