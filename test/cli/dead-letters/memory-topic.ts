import type { Offsets } from '../../../src/kafka/client/topic-log.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import type { ScannedTopic } from '../../../src/kafka/reader/topic-scan.ts';

/** Number of records in a chunk of a scan. A replay never has a batch of more than one chunk. */
const chunkRecords = 3;

/** A topic that exists in memory only. */
export class MemoryTopic {
  readonly name: string;
  readonly partitions: readonly SourceRecord[][];

  constructor(name: string, partitions: number) {
    this.name = name;
    this.partitions = Array.from({ length: partitions }, () => []);
  }

  get records(): readonly SourceRecord[] {
    return this.partitions.flat();
  }

  append(partition: number, { key, value, headers }: OutgoingRecord, timestamp: number): SourceRecord {
    const log = this.partitions[partition] ?? [];
    const texts = headers.map(([name, content]) => [name, content === null ? null : Buffer.from(content)] as const);
    const record = { topic: this.name, partition, offset: log.length, timestamp, key, value, headers: texts };
    log.push(record);
    return record;
  }

  /** Returns a scan of what the topic holds now. */
  scan(): ScannedTopic {
    const logs = this.partitions.map((log) => [...log]);
    const numbers = [...logs.keys()];
    const read = async function* (partition: number, from = 0) {
      const log = logs[partition] ?? [];
      for (let at = from; at < log.length; at += chunkRecords) {
        await Promise.resolve();
        const records = log.slice(at, at + chunkRecords);
        yield { records, offsets: records.length };
      }
    };
    return {
      topic: this.name,
      partitions: numbers,
      offsets: () => logs.flat().length,
      offsetsForTime: (time) =>
        Promise.resolve(new Map(logs.map((log, partition) => [partition, firstSince(log, time)]))),
      read,
      async *readAll(from?: Offsets) {
        for (const partition of numbers) yield* read(partition, from?.get(partition));
      },
    };
  }
}

function firstSince(log: readonly SourceRecord[], time: number): number {
  const found = log.findIndex(({ timestamp = 0 }) => timestamp >= time);
  return found === -1 ? log.length : found;
}
