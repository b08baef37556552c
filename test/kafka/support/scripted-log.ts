import type { FetchedPartition, Offsets, TopicLog } from '../../../src/kafka/client/topic-log.ts';

/** A topic on one broker, with records and faults set by the test. A fetch without records waits for the next change. */
export class ScriptedLog implements TopicLog {
  partitions: string[][] = [[]];
  fault: Error | undefined;
  /** A fault of looking at the topic alone. */
  refreshFault: Error | undefined;
  /** A fault of reading records alone. */
  fetchFault: Error | undefined;
  topicId: string | undefined;
  /** The offset at which a transaction is open in each partition. */
  openAt: number | undefined;
  /** The offset from which on answers have no records, although they could be read. */
  withheldAt: number | undefined;
  #changed = Promise.withResolvers<void>();

  async refresh(): Promise<void> {
    const fault = this.fault ?? this.refreshFault;
    if (fault !== undefined) throw fault;
  }

  id(): string | undefined {
    return this.topicId;
  }

  clusterId(): string | undefined {
    return undefined;
  }

  leaders(): ReadonlyMap<number, number> {
    return new Map(this.partitions.map((_, partition) => [partition, 1]));
  }

  starts(partitions: readonly number[]): Promise<Offsets> {
    return Promise.resolve(new Map(partitions.map((partition) => [partition, 0])));
  }

  async ends(): Promise<Offsets> {
    await this.refresh();
    return new Map(this.partitions.map((records, partition) => [partition, records.length]));
  }

  async fetch(_leader: number, positions: Offsets): Promise<readonly FetchedPartition[]> {
    const { promise } = this.#changed;
    const fault = this.fault ?? this.fetchFault;
    if (fault !== undefined) throw fault;
    const fetched = [...positions].map(([partition, from]) => this.#read(partition, from));
    if (fetched.every(({ records }) => records.length === 0)) await promise;
    return fetched;
  }

  /** Appends records, each `key=value`, or `key` for a tombstone. An empty one was compacted away. `@` and a number at the end are the timestamp. */
  write(partition: number, ...records: readonly string[]): void {
    this.partitions[partition]?.push(...records);
    this.change();
  }

  change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #read(partition: number, from: number): FetchedPartition {
    const log = this.partitions[partition] ?? [];
    const end = log.length;
    const stableEnd = Math.max(from, this.openAt ?? end);
    const next = Math.max(from, Math.min(stableEnd, this.withheldAt ?? end));
    const found = log.slice(from, next).filter((record) => record !== '');
    const records = found.map((record) => {
      const [text = '', timestamp = '0'] = record.split('@');
      const [key = '', value] = text.split('=');
      return { key: Buffer.from(key), value: value === undefined ? null : Buffer.from(value), timestamp };
    });
    return { partition, from, next, end, stableEnd, records };
  }
}
