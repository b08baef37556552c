import type { AssignmentContext } from '../../pipeline/ports.ts';
import { encodeMetadata, topicMark } from './commit-metadata.ts';
import type { OffsetCommit } from '../kafkajs/internals.ts';
import type { TopicIds } from '../kafkajs/topic-ids.ts';
import { SlidingCounter } from '../../lib/sliding-counter.ts';
import { OffsetLedger } from './offset-ledger.ts';
import type { FetchedRecords } from './fetched-records.ts';
import type { SettledRange } from './settled-offsets.ts';

/** One partition for the time of one assignment. */
export interface AssignedPartition {
  readonly topic: string;
  readonly partition: number;
  /** Replaced when the log turns out to be another one; what is settled in the old one then changes nothing. */
  ledger: OffsetLedger;
  /** Bytes of the records that are not settled. */
  bytes: number;
  /** Records that came, or went on, a moment ago, and wait for nobody else. Those there for longer wait for their endpoints. */
  readonly recent: SlidingCounter;
  /** What was fetched and is to be taken in before anything else. */
  buffered: FetchedRecords | undefined;
  paused: boolean;
  /** Epoch milliseconds of its last batch. */
  readAt: number;
}

export interface Commit {
  readonly offsets: OffsetCommit;
  /** To be called once the broker has acknowledged it. */
  confirm(): void;
}

/** Ranges by partition. */
export type SettledBefore = (topic: string, partition: number) => readonly SettledRange[];

interface AssignmentOptions {
  /** What the group's commits say is settled above them. */
  readonly settledBefore?: SettledBefore;
  /** Of the topics, as far as they are known. */
  readonly ids?: TopicIds;
  /** While the group may have given the partitions to others: resolves once it has not. */
  readonly ownershipUnconfirmed?: () => Promise<void> | undefined;
}

/** Endpoints that answer take no longer, unless the process has more than enough to do. */
const recentMs = 500;

/** What the group has assigned to us, from one join to the next. Whatever comes after that changes nothing. */
export class Assignment implements AssignmentContext {
  readonly #assigned: Readonly<Record<string, readonly number[]>>;
  readonly #partitions = new Map<string, AssignedPartition>();
  readonly #settledBefore: SettledBefore;
  /** By topic, marks of the logs that are read. */
  readonly #topicMarks: Map<string, string>;
  readonly #ownershipUnconfirmed: () => Promise<void> | undefined;
  readonly #revoking = Promise.withResolvers<false>();
  #revoked = false;

  constructor(assigned: Readonly<Record<string, readonly number[]>>, known: AssignmentOptions = {}) {
    const { settledBefore = () => [], ids = new Map(), ownershipUnconfirmed = () => undefined } = known;
    this.#assigned = assigned;
    this.#settledBefore = settledBefore;
    this.#topicMarks = new Map([...ids].map(([topic, id]) => [topic, topicMark(id)]));
    this.#ownershipUnconfirmed = ownershipUnconfirmed;
  }

  get revoked(): boolean {
    return this.#revoked;
  }

  stillOwned(): boolean | Promise<boolean> {
    const ownershipUnconfirmed = this.#ownershipUnconfirmed();
    if (ownershipUnconfirmed === undefined || this.#revoked) return !this.#revoked;
    return Promise.race([ownershipUnconfirmed.then(() => !this.#revoked), this.#revoking.promise]);
  }

  /** Topics with the partitions assigned, read from or not. */
  get assigned(): Readonly<Record<string, readonly number[]>> {
    return this.#assigned;
  }

  get size(): number {
    return Object.values(this.#assigned).reduce((sum, partitions) => sum + partitions.length, 0);
  }

  /** Those that records came from. */
  partitions(): Iterable<AssignedPartition> {
    return this.#partitions.values();
  }

  get(topic: string, partition: number): AssignedPartition | undefined {
    return this.#partitions.get(keyOf(topic, partition));
  }

  /** Reading of the partition begins at this offset. Undefined when the partition is not ours. */
  open(topic: string, partition: number, offset: number): AssignedPartition | undefined {
    return this.#open(topic, partition, new OffsetLedger(offset, this.#settledBefore(topic, partition)));
  }

  /** Its log is another one than before: reading begins anew, and what was settled says nothing of this one. */
  reopen(topic: string, partition: number, offset: number): AssignedPartition | undefined {
    return this.#open(topic, partition, new OffsetLedger(offset));
  }

  /** The topic is another one than before, by the same name. */
  topicRecreated(topic: string, id: string): void {
    this.#topicMarks.set(topic, topicMark(id));
  }

  /** What there is to commit, or undefined when that is nothing. */
  toCommit(maxMetadataBytes: number): Commit | undefined {
    const due = [...this.#partitions.values()]
      .filter(({ ledger }) => ledger.hasUncommitted)
      .map(({ topic, partition, ledger }) => ({ topic, partition, ledger, state: ledger.state }));
    if (this.#revoked || due.length === 0) return undefined;
    const byTopic = Map.groupBy(due, ({ topic }) => topic);
    return {
      offsets: {
        topics: [...byTopic].map(([topic, commits]) => ({
          topic,
          partitions: commits.map(({ partition, ledger, state: { position } }) => ({
            partition,
            offset: String(position),
            metadata: this.#metadataOf(topic, ledger, maxMetadataBytes),
          })),
        })),
      },
      confirm: () => due.forEach(({ ledger, state }) => ledger.confirm(state)),
    };
  }

  /** It is being given up: what is under way may end, but nothing waits for the group's word any more. */
  prepareToRevoke(): void {
    this.#revoking.resolve(false);
  }

  revoke(): void {
    this.#revoked = true;
    this.prepareToRevoke();
  }

  #metadataOf(topic: string, ledger: OffsetLedger, maxBytes: number): string {
    const metadata = { settled: ledger.settledAbove(), topicMark: this.#topicMarks.get(topic) };
    return encodeMetadata(ledger.position, metadata, maxBytes);
  }

  #open(topic: string, partition: number, ledger: OffsetLedger): AssignedPartition | undefined {
    if (this.#revoked || this.#assigned[topic]?.includes(partition) !== true) return undefined;
    const opened = this.get(topic, partition) ?? {
      topic,
      partition,
      ledger,
      bytes: 0,
      recent: new SlidingCounter(recentMs),
      buffered: undefined,
      paused: false,
      readAt: 0,
    };
    opened.ledger = ledger;
    opened.buffered = undefined;
    this.#partitions.set(keyOf(topic, partition), opened);
    return opened;
  }
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
