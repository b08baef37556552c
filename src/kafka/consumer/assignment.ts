import { type TopicPartition, type TopicStates, partitionKey } from '../client/consumer.ts';
import type { PartitionFlow } from '../../flow/partition.ts';
import type { PauseReason } from '../../flow/pause-reason.ts';
import type { AssignmentContext } from '../../pipeline/ports.ts';
import { encodeMetadata, logMark, type LogMark } from './commits/commit-metadata.ts';
import { GroupCommits } from './commits/group-commits.ts';
import { OffsetLedger } from './offset-ledger.ts';
import type { UnreadableTopics } from './pause-control.ts';
import type { FetchedRecords } from '../records/fetched-records.ts';
import { Queue } from '../../lib/queue.ts';

export interface AssignedPartition extends TopicPartition {
  /** Replaced when reading starts over in another log. Settling an entry of the old ledger then changes nothing. */
  ledger: OffsetLedger;
  /** The times since which its records have been in the log. Replaced together with the ledger. */
  growth: LogGrowth;
  /** The counts of its records and deliveries in flow control; undefined before the first record. */
  flow: PartitionFlow | undefined;
  /** Fetched records that are admitted before any later fetch. */
  buffered: FetchedRecords | undefined;
  /** The reason of flow control for which it is not read on; undefined while it is. */
  pausedBy: PauseReason | undefined;
  /** Epoch milliseconds of its last batch; 0 before the first. */
  readAt: number;
  /** The configurations topic that its last commit names. */
  configurations: string | undefined;
}

interface AssignmentOptions {
  readonly commits?: GroupCommits;
  /** Returns the configurations topic that was last complete. Commits name it. Undefined if nothing is to be named. */
  readonly configurations?: (() => LogMark | undefined) | undefined;
  readonly logs?: Pick<TopicStates, 'clusterId' | 'ids'>;
  /** Returns a promise while the group may have given the partitions to others. It resolves once it has not. */
  readonly ownershipUnconfirmed?: () => Promise<void> | undefined;
}

/**
 * The partitions that the group assigned to this process, from one join to the next. Owns one `AssignedPartition`, and
 * so one ledger, for each partition that records came from.
 *
 * | State         | Begins with         | `open`             | `toCommit`      | `stillOwned`                           |
 * | ------------- | ------------------- | ------------------ | --------------- | -------------------------------------- |
 * | current       | a join              | a partition        | what is settled | true, or a promise while unconfirmed   |
 * | being revoked | `prepareToRevoke()` | a partition        | what is settled | true, or false at once if unconfirmed  |
 * | revoked       | `revoke()`          | undefined          | undefined       | false                                  |
 *
 * States only go forward. A lost assignment skips the second one.
 *
 * `GroupConsumer` creates and revokes it, `Admission` opens partitions, and `OffsetCommitter` takes the commits. The pipeline
 * asks, through each record's context, whether it may still deliver.
 *
 * Promises:
 * - A revoked assignment commits nothing, however late its records settle. Another member may have the partitions by
 *   then, and a commit would set that member's offsets back.
 * - `confirm` covers what was settled when `toCommit` was called. Records that settle during the request are left for
 *   the next commit.
 * - `stillOwned` is answered at once when the assignment is being revoked. Without `prepareToRevoke`, the barrier would
 *   wait for records that wait for the group.
 * - `reopen` ignores the metadata of earlier commits, because its offsets mean nothing in another log.
 * - A configurations topic that is complete is named in a commit of each partition, also where nothing is settled. Otherwise
 *   a process that starts later would wait for somebody to confirm that topic.
 */
export class Assignment implements AssignmentContext {
  /** All assigned partitions by topic, including those that no record came from yet. */
  readonly assigned: Readonly<Record<string, readonly number[]>>;
  readonly #partitions = new Map<string, AssignedPartition>();
  readonly #commits: GroupCommits;
  readonly #configurations: () => LogMark | undefined;
  readonly #clusterId: string | undefined;
  /** The marks of the logs by topic. Commits carry them. */
  readonly #marks: Map<string, LogMark>;
  readonly #ownershipUnconfirmed: () => Promise<void> | undefined;
  readonly #revoking = Promise.withResolvers<false>();
  #unreadable: UnreadableTopics = { gone: [], denied: [] };
  #isRevoking = false;
  #revoked = false;
  #isCutOff = false;

  constructor(assigned: Readonly<Record<string, readonly number[]>>, options: AssignmentOptions = {}) {
    const { commits = new GroupCommits([]), logs, ownershipUnconfirmed = () => undefined } = options;
    this.assigned = assigned;
    this.#commits = commits;
    this.#configurations = options.configurations ?? (() => undefined);
    this.#clusterId = logs?.clusterId;
    this.#marks = new Map([...(logs?.ids ?? [])].map(([topic, id]) => [topic, logMark(logs?.clusterId, id)]));
    this.#ownershipUnconfirmed = ownershipUnconfirmed;
  }

  get revoked(): boolean {
    return this.#revoked;
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  stillOwned(): boolean | Promise<boolean> {
    const ownershipUnconfirmed = this.#ownershipUnconfirmed();
    if (ownershipUnconfirmed === undefined || this.#revoked) return !this.#revoked;
    return Promise.race([ownershipUnconfirmed.then(() => !this.#revoked), this.#revoking.promise]);
  }

  get size(): number {
    return Object.values(this.assigned).reduce((sum, partitions) => sum + partitions.length, 0);
  }

  /** Returns the partition's state, or undefined before its first record. */
  get(topic: string, partition: number): AssignedPartition | undefined {
    return this.#partitions.get(partitionKey(topic, partition));
  }

  /** Starts reading the partition at this offset. Returns undefined if the partition is not assigned. */
  open(topic: string, partition: number, offset: number, isCommitted = true): AssignedPartition | undefined {
    const settled = this.#commits.progressOf(topic, partition, this.#marks.get(topic))?.settled;
    return this.#open(topic, partition, new OffsetLedger(offset, settled, isCommitted));
  }

  /** Starts reading another log of the partition, without the ranges that were settled in the earlier one. */
  reopen(topic: string, partition: number, offset: number): AssignedPartition | undefined {
    return this.#open(topic, partition, new OffsetLedger(offset));
  }

  /** Marks later commits of the topic with the id of its successor of the same name. */
  topicRecreated(topic: string, id: string): void {
    this.#marks.set(topic, logMark(this.#clusterId, id));
  }

  /** Topics that the brokers do not let us read at present. */
  get denied(): readonly string[] {
    return this.#unreadable.denied;
  }

  /** Replaces the topics that can't be read. Nothing is committed in denied ones: one would fail the whole commit. */
  exclude(unreadable: UnreadableTopics): void {
    this.#unreadable = unreadable;
  }

  /** Returns why none of the topic's partitions is read on, whatever flow control allows. Undefined if they may be. */
  pausedBy(topic: string): PauseReason | undefined {
    if (this.#isRevoking) return 'joining';
    if (this.#unreadable.gone.includes(topic)) return 'topic_missing';
    return this.denied.includes(topic) ? 'topic_denied' : undefined;
  }

  /**
   * Returns everything that is settled and not committed, or undefined if there is nothing. `confirm` is to be called once the
   * broker has acknowledged the commit.
   */
  toCommit(maxMetadataBytes: number) {
    const configurations = this.#configurations();
    if (configurations !== undefined) this.#openUnread(configurations);
    const due = [...this.#partitions.values()]
      .filter(({ topic }) => !this.denied.includes(topic))
      .filter((assigned) => assigned.ledger.hasUncommitted || this.#isUnnamed(assigned, configurations))
      .map((assigned) => ({ assigned, ledger: assigned.ledger, state: assigned.ledger.state }));
    if (this.#revoked || due.length === 0) return undefined;
    const byTopic = Map.groupBy(due, ({ assigned }) => assigned.topic);
    return {
      offsets: {
        topics: [...byTopic].map(([topic, commits]) => ({
          topic,
          partitions: commits.map(({ assigned: { partition }, ledger, state: { position } }) => ({
            partition,
            offset: String(position),
            metadata: this.#metadataOf(topic, ledger, configurations, maxMetadataBytes),
          })),
        })),
      },
      confirm: () => {
        for (const { assigned, ledger, state } of due) {
          ledger.confirm(state);
          assigned.configurations = configurations?.topic;
        }
      },
    };
  }

  /** Answers callers that wait for the group to confirm its ownership. Records in flight may still settle. */
  prepareToRevoke(): void {
    this.#isRevoking = true;
    this.#revoking.resolve(false);
  }

  /** Ends the waits of what is in flight. It is handed to the tiers. */
  cutOff(): void {
    this.#isCutOff = true;
  }

  revoke(): void {
    this.#revoked = true;
    this.prepareToRevoke();
  }

  #metadataOf(topic: string, ledger: OffsetLedger, configurations: LogMark | undefined, maxBytes: number): string {
    const metadata = { settled: ledger.settledAbove(), mark: this.#marks.get(topic), configurations };
    return encodeMetadata(ledger.position, metadata, maxBytes);
  }

  /** Opens partitions that no record came from, if their commits do not name this topic. They continue at their commits. */
  #openUnread(configurations: LogMark): void {
    for (const { topic, partition, offset, configurations: named } of this.#commits.all) {
      const isUnnamed = this.#isUnnamed({ topic, configurations: named?.topic }, configurations);
      if (isUnnamed && this.get(topic, partition) === undefined) this.open(topic, partition, offset);
    }
  }

  /** Returns true if the partition's commit names another configurations topic. Kafka takes no commit in a topic that is gone. */
  #isUnnamed(commit: Pick<AssignedPartition, 'topic' | 'configurations'>, complete: LogMark | undefined): boolean {
    const isNamed = complete === undefined || commit.configurations === complete.topic;
    return !isNamed && !this.#unreadable.gone.includes(commit.topic);
  }

  #open(topic: string, partition: number, ledger: OffsetLedger): AssignedPartition | undefined {
    if (this.#revoked || this.assigned[topic]?.includes(partition) !== true) return undefined;
    const key = partitionKey(topic, partition);
    const configurations = this.#commits.of(topic, partition)?.configurations?.topic;
    const opened: AssignedPartition = Object.assign(
      this.#partitions.get(key) ?? {
        topic,
        partition,
        flow: undefined,
        pausedBy: undefined,
        readAt: 0,
        configurations,
      },
      { ledger, growth: new LogGrowth(), buffered: undefined },
    );
    this.#partitions.set(key, opened);
    return opened;
  }
}

/** The most ends that are remembered. Later ones are left out, and their records count as younger than they are. */
const maxEnds = 64;
/** The least time in ms between two ends that are remembered. */
const spacingMs = 1000;

/**
 * Knows since when records of one partition have been in its log at least. Each fetch tells where the log ends, so it dates
 * a whole backlog, however slowly that is read. Callers pass monotonic times.
 */
export class LogGrowth {
  /** Ends of the log with the times at which they were seen, in the order of both. */
  readonly #ends = new Queue<{ readonly end: number; readonly seenAt: number }>();
  #last = { end: 0, seenAt: Number.NEGATIVE_INFINITY };

  /** Notes that the log ended there, or later. */
  note(end: number, seenAt: number): void {
    if (end <= this.#last.end || seenAt - this.#last.seenAt < spacingMs || this.#ends.length >= maxEnds) return;
    this.#last = { end, seenAt };
    this.#ends.push(this.#last);
  }

  /** Returns a time at which the record was in the log, at most `now`. Ask in the order of offsets. */
  inLogSince(offset: number, now: number): number {
    for (let first = this.#ends.peek(); first !== undefined; first = this.#ends.peek()) {
      if (offset < first.end) return first.seenAt;
      this.#ends.shift();
    }
    return now;
  }
}
