import { createHash } from 'node:crypto';
import { decodeSettled, encodeSettled, settledPrefix, type SettledRange } from './settled-offsets.ts';

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

/** Compares the log that a commit was made for with the one that is read now. */
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
