import type { FullRecord } from './topic-log.ts';

/** A member of a group, as long as it runs. */
export interface Consumer {
  connect(): Promise<void>;
  subscribe(subscription: { readonly topics: string[]; readonly fromBeginning: true }): Promise<void>;
  run(options: { readonly autoCommit: false }): Promise<void>;
  /** Throws while there is no group, for example after a crash. */
  pause(partitions: { readonly topic: string; readonly partitions?: number[] }[]): void;
  resume(partitions: { readonly topic: string; readonly partitions?: number[] }[]): void;
  seek(position: TopicPartition & { readonly offset: string }): void;
  /**
   * Sends one OffsetCommit request under the current generation. Rejects with the broker's error, named in its `type`. Does
   * nothing before the first join.
   */
  commit(offsets: OffsetCommit): Promise<void>;
  /** Asks one broker about topics. Resolves to undefined with brokers older than 2.8, and before the first join. */
  topicStates(topics: readonly string[]): Promise<TopicStates | undefined>;
  disconnect(): Promise<void>;
}

/** Times in ms, and bytes. */
export interface ConsumerOptions {
  readonly groupId: string;
  readonly sessionTimeout?: number;
  readonly heartbeatInterval?: number;
  readonly rebalanceTimeout: number;
  readonly maxWaitTimeInMs: number;
  readonly minBytes?: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
  readonly metadataMaxAge: number;
  readonly assignor: Assignor;
  readonly events: ConsumerEvents;
  readonly hooks: ConsumerHooks;
}

export interface ConsumerEvents {
  /** Called for each sign of life of the client. */
  active(): void;
  /** Called when a heartbeat is answered, perhaps with an error, so many ms after it was sent. */
  heartbeatAnswered(afterMs: number): void;
  heartbeatAccepted(): void;
  joined(membership: { readonly memberId: string; readonly memberAssignment: Partitions }): void;
  /** `restart` is true if the consumer goes on by itself, as another member. */
  crashed(crash: { readonly error: Error; readonly restart: boolean }): void;
}

/** Divides the partitions of topics among the members of a group. */
export interface Assignor {
  /** Members with different protocols can't form one group. */
  readonly protocol: string;
  /** The name of this process, the same in each group that it joins. */
  readonly instance: string;
  /** Returns partitions by topic, by the member's id. */
  assign(
    members: readonly Subscriber[],
    partitionsOf: (topic: string) => readonly number[],
  ): ReadonlyMap<string, Partitions>;
}

export interface Subscriber {
  readonly memberId: string;
  readonly instance: string;
  readonly topics: readonly string[];
}

/** Partitions by topic. */
export type Partitions = Readonly<Record<string, readonly number[]>>;

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The body of one OffsetCommit request. */
export interface OffsetCommit {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly PartitionCommit[] }[];
}

interface PartitionCommit {
  readonly partition: number;
  readonly offset: string;
  readonly metadata?: string | null;
}

/** The records of one partition in a Fetch response, without control records and those of aborted transactions. */
export interface FetchedBatch extends TopicPartition {
  readonly highWatermark: number;
  readonly messages: readonly FullRecord[];
  /** Returns the offset of the last record, which may be a control record. */
  lastOffset(): string;
}

export interface ConsumerHooks {
  /**
   * Awaited before each join but the first. A rejection fails the join. `kicked` means that the group has already removed
   * this member, so the broker would refuse commits.
   */
  beforeRejoin(rejoin: { readonly kicked: boolean }): Promise<void>;
  /** Returns true once the consumer drains, to leave the group afterwards. It joins no more then. */
  isLeaving?(): boolean;
  /** Called for each heartbeat that the group answered with a rebalance while it waits for this member. */
  awaitedByGroup?(): void;
  /**
   * Takes the records of one partition, perhaps none but control records. Returns the last offset that need not be fetched
   * again, if any. Must not throw.
   */
  takeBatch(batch: FetchedBatch): string | undefined;
  /**
   * Called when offset `from` is not in the log. Reading continues at the earliest record, `to`, and nothing is committed.
   * `to` is below `from` when the log was created after the offset was committed.
   */
  offsetReset(reset: TopicPartition & { readonly from: number; readonly to: number }): void;
  /** Called when the records from this offset on can't be decoded. They are fetched again at once unless paused. */
  unreadable?(unreadable: TopicPartition & { readonly offset: number; readonly error: Error }): void;
}

/** Ids by topic. Topics that the broker does not know, or does not describe to us, are missing. */
export type TopicIds = ReadonlyMap<string, string>;

/** The answer of one broker about topics. */
export interface TopicStates {
  readonly clusterId: string | undefined;
  /** They differ between topics that had the same name. */
  readonly ids: TopicIds;
  /** Topics that this client may not read. */
  readonly denied: readonly string[];
  /** The leading brokers of the known topics, by partition. A partition without a leader has -1. */
  readonly leaders: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** Returns the key of a partition in a map, which is also its name in messages: `topic/partition`. */
export function partitionKey(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
