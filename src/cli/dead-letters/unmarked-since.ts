import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import type { DeadLetterScan } from './dead-letter-scan.ts';

/**
 * Returns the time of the oldest dead letter that is selected and has no marker, in epoch milliseconds. Undefined if all have
 * one. A killed replay cannot have written a delivery of such a dead letter to the first tier before that time.
 *
 * The markers of other replays say nothing about it: one with another filter may have ended long after the kill. Reads each
 * partition up to its first such dead letter. What a replay wrote for a later one, it wrote after the first one was there.
 */
export async function findUnmarkedSince(
  scan: ScannedTopic,
  found: DeadLetterScan,
  screen: ProgressScreen,
): Promise<number | undefined> {
  const times: number[] = [];
  using progress = new Progress(`looking for what ${scan.topic} has unmarked`, scan.offsets(), screen);
  for (const partition of scan.partitions) {
    for await (const { records, offsets } of scan.read(partition)) {
      const first = records.find((record) => isUnmarked(record, found));
      progress.advance(offsets);
      if (first === undefined) continue;
      times.push(first.timestamp ?? 0);
      break;
    }
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns false for a dead letter without a value, because it can't be replayed and never gets a marker. */
function isUnmarked(record: SourceRecord, found: DeadLetterScan): boolean {
  const read = readDeadLetter(record);
  if (read.kind === 'marker' || record.value === null) return false;
  return found.isSelected(read.letter) && !found.replayed.has(record, read.letter.source);
}
