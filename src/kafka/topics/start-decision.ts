import type { StartPosition } from '../../settings/kinds/kafka-kinds.ts';

/** The offsets of a topic and the group's commits in it, partition by partition. */
export interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly PartitionOffsets[];
}

export interface PartitionOffsets {
  readonly partition: number;
  /** Offset of the oldest record that is still in the log. */
  readonly low: number;
  /** Offset that the next record will get. */
  readonly high: number;
  /** The group's committed offset. Undefined without a commit. */
  readonly committed: number | undefined;
}

type StartDecision =
  /** Partitions continue at their commit, or begin at their earliest record. A consumer does so by default. */
  | { readonly kind: 'default' }
  | { readonly kind: 'set'; readonly at: Exclude<StartPosition, { readonly kind: 'earliest' }> }
  /** An operator has to decide whether the existing records are delivered. */
  | { readonly kind: 'undecided' };

/** Decides where the group begins in a topic. A topic with a commit or without records needs no decision. */
export function decideStart({ partitions }: TopicOffsets, start: StartPosition | undefined): StartDecision {
  const isCommitted = partitions.some(({ committed }) => committed !== undefined);
  const isEmpty = partitions.every(({ low, high }) => low >= high);
  if (isCommitted || isEmpty) return { kind: 'default' };
  if (start === undefined) return { kind: 'undecided' };
  return start.kind === 'earliest' ? { kind: 'default' } : { kind: 'set', at: start };
}
