/** `CERTIFICATE_START`: where to begin in a topic that has records but no commit of the group. */
export type CertificateStart =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** The first record of that time or later, in epoch milliseconds. */
  | { readonly kind: 'time'; readonly at: number };

/** How the group and a topic stand to each other, partition by partition. */
export interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly PartitionOffsets[];
}

export interface PartitionOffsets {
  readonly partition: number;
  /** The offset of the first record that is there, and the one that the next record gets. */
  readonly low: number;
  readonly high: number;
  /** Undefined when the group has committed none. */
  readonly committed: number | undefined;
}

type StartDecision =
  /** Partitions go on from their commit, those without one begin at their earliest record: what a consumer does. */
  | { readonly kind: 'default' }
  | { readonly kind: 'set'; readonly at: Exclude<CertificateStart, { readonly kind: 'earliest' }> }
  /** Only a person can say whether the records that are there are to be delivered. */
  | { readonly kind: 'undecided' };

/** Once a topic has a commit, or has no records, there is nothing left to decide. */
export function decideStart(standing: TopicOffsets, start: CertificateStart | undefined): StartDecision {
  const isCommitted = standing.partitions.some(({ committed }) => committed !== undefined);
  const isEmpty = standing.partitions.every(({ low, high }) => low >= high);
  if (isCommitted || isEmpty) return { kind: 'default' };
  if (start === undefined) return { kind: 'undecided' };
  return start.kind === 'earliest' ? { kind: 'default' } : { kind: 'set', at: start };
}
