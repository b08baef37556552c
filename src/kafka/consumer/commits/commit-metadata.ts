import { createHash } from 'node:crypto';
import { decodeSettled, encodeSettled, settledPrefix, type SettledRange } from './settled-offsets.ts';

/**
 * The metadata of a commit: `w1:`, the ranges in base64, and after an `@` 16 hexadecimal digits.
 *
 * | Text                          | Written by                                                                       |
 * | ----------------------------- | -------------------------------------------------------------------------------- |
 * | `w1:AQE=@1a2b3c4d5e6f7081`    | this version: eight digits for the cluster, then eight for the topic             |
 * | `w1:AQE=@5e6f7081`            | earlier versions, and with a cluster without an id: eight digits for the topic   |
 * | `w1:AQE=`                     | with brokers that have no topic ids                                              |
 *
 * Earlier versions take the first form for unknown text, and start at the committed offset.
 */
export interface CommitMetadata {
  readonly settled: readonly SettledRange[];
  /** Undefined if the commit does not name its log. */
  readonly mark: LogMark | undefined;
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

const form = /^(?<settled>.*)@(?<cluster>[0-9a-f]{8})?(?<topic>[0-9a-f]{8})$/s;
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

/** Returns the ranges that fit, followed by the mark. The mark takes precedence when space is short. */
export function encodeMetadata(position: number, { settled, mark }: CommitMetadata, maxBytes: number): string {
  const suffix = mark === undefined ? '' : `@${mark.cluster ?? ''}${mark.topic}`;
  if (maxBytes < settledPrefix.length + suffix.length) return encodeSettled(position, settled, maxBytes);
  const ranges = encodeSettled(position, settled, maxBytes - suffix.length);
  return ranges === '' && mark !== undefined ? `${settledPrefix}${suffix}` : `${ranges}${suffix}`;
}

/** Reads what `encodeMetadata` wrote. Any other text counts as empty. */
export function decodeMetadata(position: number, metadata: string): CommitMetadata {
  const { settled = metadata, cluster, topic } = form.exec(metadata)?.groups ?? {};
  if (!settled.startsWith(settledPrefix)) return { settled: [], mark: undefined };
  return { settled: decodeSettled(position, settled), mark: topic === undefined ? undefined : { cluster, topic } };
}
