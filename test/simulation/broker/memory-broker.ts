import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError } from './errors.ts';
import { GroupCoordinator, type CommittedOffset } from './group-coordinator.ts';
import { PartitionLog, type LoggedRecord, type NewRecord } from './partition-log.ts';

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface FetchedPartition extends TopicPartition {
  readonly from: number;
  /** Undefined when the offset is outside the log. */
  readonly found: { readonly records: readonly LoggedRecord[]; readonly next: number } | undefined;
  readonly end: number;
  readonly stableEnd: number;
}

type FetchPosition = TopicPartition & { readonly from: number };

interface FetchLimits {
  readonly minBytes: number;
  readonly maxWaitMs: number;
  readonly maxRecordsPerPartition: number;
}

/** Notified of everything durable, in the order in which it happens. */
interface BrokerListener {
  appended(record: LoggedRecord): void;
  committed(groupId: string, offsets: readonly CommittedOffset[]): void;
}

interface MemoryBrokerOptions {
  readonly listener?: BrokerListener;
  /** `message.timestamp.after.max.ms`: how far ahead of the broker's clock a timestamp may be. */
  readonly timestampAfterMaxMs?: number;
}

const hourMs = 3_600_000;
const deaf: BrokerListener = { appended: () => undefined, committed: () => undefined };

interface Topic {
  readonly id: string;
  readonly partitions: PartitionLog[];
  readonly maxRecordBytes: number;
}

/**
 * A Kafka cluster in memory: topics with their partition logs, and one coordinator per consumer group.
 *
 * Owns everything that outlives a process: records, committed offsets and group membership. Tests and the simulated
 * platform call it directly. A simulated process reaches it through a `BrokerConnection`, which adds latency and
 * faults. Real clients reach it over connections, through `test/support/kafka/memory`.
 *
 * Guarantees:
 * - A batch is appended completely or refused completely.
 * - Every append and every commit is passed to the listener, in the order in which it happened. The checkers of
 *   `test/simulation/checkers` depend on that order.
 * - A fetch returns once `minBytes` can be read, once an offset is outside the log, or after `maxWaitMs`.
 * - Errors carry the type names of kafkajs. No call fails at random.
 * - Time comes from the clock of the constructor alone, and nothing is random. The same calls produce the same history.
 *
 * Each topic has one leader and one replica. Retention, compaction, quotas and transactions with records that are committed
 * are not simulated; `appendControl` leaves an offset without a record, as the end of a transaction does.
 *
 * `test/contract` runs one suite against this broker, with and without connections, and against Kafka.
 */
export class MemoryBroker {
  readonly #clock: Clock;
  readonly #listener: BrokerListener;
  readonly #timestampAfterMaxMs: number;
  readonly #topics = new Map<string, Topic>();
  readonly #groups = new Map<string, GroupCoordinator>();
  #created = 0;
  readonly #waitingFetches = new Set<() => void>();

  constructor(clock: Clock, { listener = deaf, timestampAfterMaxMs = hourMs }: MemoryBrokerOptions = {}) {
    this.#clock = clock;
    this.#listener = listener;
    this.#timestampAfterMaxMs = timestampAfterMaxMs;
  }

  createTopic(topic: string, partitions: number, maxRecordBytes: number = Number.POSITIVE_INFINITY): void {
    const logs = Array.from({ length: partitions }, (_, partition) => new PartitionLog(topic, partition));
    this.#created += 1;
    // 32 hexadecimal digits, as the ids of Kafka. The first ones differ.
    const id = this.#created.toString(16).padStart(8, '0').padEnd(32, '0');
    this.#topics.set(topic, { id, partitions: logs, maxRecordBytes });
  }

  deleteTopic(topic: string): void {
    this.#topics.delete(topic);
    this.#wakeFetches();
  }

  addPartition(topic: string): void {
    const { partitions } = this.#topic(topic);
    partitions.push(new PartitionLog(topic, partitions.length));
  }

  /** A topic that is deleted and created again has another id. */
  topicId(topic: string): string {
    return this.#topic(topic).id;
  }

  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  partitions(topic: string): readonly PartitionLog[] {
    return this.#topic(topic).partitions;
  }

  log({ topic, partition }: TopicPartition): PartitionLog {
    const log = this.partitions(topic)[partition];
    if (log === undefined) throw new BrokerError('UNKNOWN_TOPIC_OR_PARTITION');
    return log;
  }

  /** Appends all records or, if they are too large, none. Returns the offset of the first one. */
  append(target: TopicPartition, records: readonly NewRecord[]): number {
    const log = this.log(target);
    const { maxRecordBytes } = this.#topic(target.topic);
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (bytes > maxRecordBytes) throw new BrokerError('MESSAGE_TOO_LARGE');
    const base = log.end;
    // Kafka's timestamps are whole milliseconds.
    const now = Math.floor(this.#clock.now());
    const isAhead = records.some(({ timestamp = now }) => timestamp > now + this.#timestampAfterMaxMs);
    if (isAhead) throw new BrokerError('INVALID_TIMESTAMP');
    for (const record of records) this.#listener.appended(log.append(record, now));
    this.#wakeFetches();
    return base;
  }

  /** Adds an offset without a record. */
  appendControl(target: TopicPartition): void {
    this.log(target).appendControl();
    this.#wakeFetches();
  }

  /** Opens a transaction in the partition, aborts it, or lets fetches find nothing in it. */
  disturb(target: TopicPartition, how: (log: PartitionLog) => void): void {
    how(this.log(target));
    this.#wakeFetches();
  }

  /** Waits until `minBytes` can be read, but at most `maxWaitMs`. */
  async fetch(
    positions: readonly FetchPosition[],
    { minBytes, maxWaitMs, maxRecordsPerPartition }: FetchLimits,
  ): Promise<readonly FetchedPartition[]> {
    const until = this.#clock.now() + maxWaitMs;
    while (!this.#hasEnough(positions, minBytes) && this.#clock.now() < until)
      await this.#untilAppended(until - this.#clock.now());
    return positions.map((position) => this.#read(position, maxRecordsPerPartition));
  }

  group(groupId: string): GroupCoordinator {
    const existing = this.#groups.get(groupId);
    if (existing !== undefined) return existing;
    const group = new GroupCoordinator(this.#clock, (offsets) => this.#listener.committed(groupId, offsets));
    this.#groups.set(groupId, group);
    return group;
  }

  groupIds(): readonly string[] {
    return [...this.#groups.keys()];
  }

  /** Forgets the group with its commits. */
  deleteGroup(groupId: string): void {
    this.#groups.delete(groupId);
  }

  #topic(topic: string): Topic {
    const found = this.#topics.get(topic);
    if (found === undefined) throw new BrokerError('UNKNOWN_TOPIC_OR_PARTITION');
    return found;
  }

  /** An offset outside the log is answered at once. An offset without a record counts as one byte. */
  #hasEnough(positions: readonly FetchPosition[], minBytes: number): boolean {
    let bytes = 0;
    for (const position of positions) {
      const { found, from, stableEnd } = this.#read(position, minBytes);
      if (found === undefined) return true;
      const read = found.records.reduce((sum, record) => sum + sizeOf(record), 0);
      bytes += Math.max(read, from < stableEnd ? 1 : 0);
    }
    return bytes >= minBytes;
  }

  #read({ topic, partition, from }: FetchPosition, limit: number): FetchedPartition {
    const log = this.log({ topic, partition });
    const isInLog = from >= log.start && from <= log.end;
    const { end, stableEnd } = log;
    return { topic, partition, from, end, stableEnd, found: isInLog ? log.read(from, limit) : undefined };
  }

  #untilAppended(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer[Symbol.dispose]();
        this.#waitingFetches.delete(wake);
        resolve();
      };
      const timer = this.#clock.after(maxWaitMs, wake);
      this.#waitingFetches.add(wake);
    });
  }

  #wakeFetches(): void {
    for (const wake of this.#waitingFetches) wake();
  }
}

function sizeOf({ key, value, headers }: NewRecord): number {
  const texts = headers.map(([name, text]) => name.length + String(text ?? '').length);
  return (key?.length ?? 0) + (value?.length ?? 0) + texts.reduce((sum, length) => sum + length, 0);
}
