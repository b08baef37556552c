import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError } from './errors.ts';
import { GroupCoordinator, type CommittedOffset } from './group-coordinator.ts';
import { PartitionLog, type LoggedRecord, type NewRecord } from './partition-log.ts';

export interface TopicPlace {
  readonly topic: string;
  readonly partition: number;
}

export interface FetchedPartition extends TopicPlace {
  readonly from: number;
  /** Undefined when that offset is not in the log. */
  readonly found: { readonly records: readonly LoggedRecord[]; readonly next: number } | undefined;
  readonly end: number;
}

type Position = TopicPlace & { readonly from: number };

export interface FetchLimits {
  readonly minBytes: number;
  readonly maxWaitMs: number;
  /** Records of a partition. */
  readonly limit: number;
}

/** What is told of all that lasts: the history that a simulation is judged by. */
export interface BrokerWatch {
  appended(record: LoggedRecord): void;
  committed(groupId: string, offsets: readonly CommittedOffset[]): void;
}

interface Topic {
  readonly partitions: readonly PartitionLog[];
  readonly maxRecordBytes: number;
}

/** A Kafka cluster in memory: topics, consumer groups, and what is written to them for good. */
export class MemoryBroker {
  readonly #clock: Clock;
  readonly #watch: BrokerWatch;
  readonly #topics = new Map<string, Topic>();
  readonly #groups = new Map<string, GroupCoordinator>();
  /** Fetches that wait for records. */
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, watch: BrokerWatch = { appended: () => undefined, committed: () => undefined }) {
    this.#clock = clock;
    this.#watch = watch;
  }

  createTopic(topic: string, partitions: number, maxRecordBytes: number = Number.POSITIVE_INFINITY): void {
    const logs = Array.from({ length: partitions }, (_, partition) => new PartitionLog(topic, partition));
    this.#topics.set(topic, { partitions: logs, maxRecordBytes });
  }

  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  partitions(topic: string): readonly PartitionLog[] {
    return this.#topic(topic).partitions;
  }

  log({ topic, partition }: TopicPlace): PartitionLog {
    const log = this.partitions(topic)[partition];
    if (log === undefined) throw new BrokerError('UNKNOWN_TOPIC_OR_PARTITION');
    return log;
  }

  /** All of them or none: a broker takes or refuses a batch. Returns the first one's offset. */
  append(place: TopicPlace, records: readonly NewRecord[]): number {
    const log = this.log(place);
    const { maxRecordBytes } = this.#topic(place.topic);
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (bytes > maxRecordBytes) throw new BrokerError('MESSAGE_TOO_LARGE');
    const base = log.end;
    for (const record of records) this.#watch.appended(log.append(record, this.#clock.now()));
    this.#wakeFetches();
    return base;
  }

  appendControl(place: TopicPlace): void {
    this.log(place).appendControl();
    this.#wakeFetches();
  }

  /** Waits for so much to read, at most that long. */
  async fetch(
    positions: readonly Position[],
    { minBytes, maxWaitMs, limit }: FetchLimits,
  ): Promise<readonly FetchedPartition[]> {
    const until = this.#clock.now() + maxWaitMs;
    while (!this.#hasEnough(positions, minBytes) && this.#clock.now() < until)
      await this.#untilAppended(until - this.#clock.now());
    return positions.map((position) => this.#read(position, limit));
  }

  group(groupId: string): GroupCoordinator {
    const known = this.#groups.get(groupId);
    if (known !== undefined) return known;
    const group = new GroupCoordinator(this.#clock, (offsets) => this.#watch.committed(groupId, offsets));
    this.#groups.set(groupId, group);
    return group;
  }

  #topic(topic: string): Topic {
    const known = this.#topics.get(topic);
    if (known === undefined) throw new BrokerError('UNKNOWN_TOPIC_OR_PARTITION');
    return known;
  }

  /** What is not in the log is answered at once, and nothing is smaller than a byte. */
  #hasEnough(positions: readonly Position[], minBytes: number): boolean {
    let bytes = 0;
    for (const position of positions) {
      const { found, from, end } = this.#read(position, minBytes);
      if (found === undefined) return true;
      const read = found.records.reduce((sum, record) => sum + sizeOf(record), 0);
      bytes += Math.max(read, from < end ? 1 : 0);
    }
    return bytes >= minBytes;
  }

  #read({ topic, partition, from }: Position, limit: number): FetchedPartition {
    const log = this.log({ topic, partition });
    const isInLog = from >= log.start && from <= log.end;
    return { topic, partition, from, end: log.end, found: isInLog ? log.read(from, limit) : undefined };
  }

  #untilAppended(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer[Symbol.dispose]();
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = this.#clock.after(maxWaitMs, wake);
      this.#waiting.add(wake);
    });
  }

  #wakeFetches(): void {
    for (const wake of this.#waiting) wake();
  }
}

function sizeOf({ key, value, headers }: NewRecord): number {
  const texts = Object.entries(headers).map(([name, text]) => name.length + String(text ?? '').length);
  return (key?.length ?? 0) + (value?.length ?? 0) + texts.reduce((sum, length) => sum + length, 0);
}
