import type { SourceRecord } from '../certificates/record.ts';
import type { Offsets } from '../kafka/client/topic-log.ts';
import type { ScannedTopic } from '../kafka/reader/topic-scan.ts';
import { Progress, type ProgressScreen } from './terminal/progress.ts';

/** Reads a topic from these offsets, or from its start, and shows the progress. Yields the records of each chunk. */
export async function* readWhole(
  what: string,
  scan: Pick<ScannedTopic, 'offsets' | 'readAll'>,
  screen: ProgressScreen,
  starts?: Offsets,
): AsyncGenerator<readonly SourceRecord[]> {
  using progress = new Progress(what, scan.offsets(starts), screen);
  for await (const { records, offsets } of scan.readAll(starts)) {
    yield records;
    progress.advance(offsets);
  }
}

/** One topic to be read, and what takes its records. */
export interface Reading {
  readonly scan: ScannedTopic;
  /** Partitions that are missing here are read from their start. */
  readonly starts?: Offsets | undefined;
  readonly take: (record: SourceRecord) => Promise<void> | void;
}

/** Partitions that are read at the same time. Each has an answer of a broker in memory. */
const concurrentPartitions = 4;

/** Reads topics, several partitions at the same time. The records of each partition are taken in their order. */
export async function readTopics(what: string, readings: readonly Reading[], screen: ProgressScreen): Promise<void> {
  const total = readings.reduce((sum, { scan, starts }) => sum + scan.offsets(starts), 0);
  using progress = new Progress(what, total, screen);
  const parts = readings.flatMap((one) => one.scan.partitions.map((partition) => ({ ...one, partition })));
  const readNext = async (): Promise<void> => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      for await (const { records, offsets } of part.scan.read(part.partition, part.starts?.get(part.partition))) {
        await takeAll(records, part.take);
        progress.advance(offsets);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentPartitions }, readNext));
}

async function takeAll(records: readonly SourceRecord[], take: Reading['take']): Promise<void> {
  for (const record of records) {
    const taken = take(record);
    // A promise for each record would take longer than the reading.
    if (taken !== undefined) await taken;
  }
}
