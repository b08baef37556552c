import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import { deadLetterPosition, sourceName } from '../../kafka/records/replay-headers.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import type { DeadLetterScan } from './scan.ts';

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

/** Margin in ms for clocks that differ. The service wrote the dead letters, and a replay on another machine the tier. */
const slackMs = 10 * 60_000;

/**
 * Returns the dead letters whose deliveries are in the first tier already, found by the headers of the deliveries. A
 * killed replay may leave such deliveries without markers. Reads the tier from `slackMs` before `since` (epoch
 * milliseconds).
 */
export async function scanFirstTier(
  tier: ScannedTopic,
  since: number,
  screen: ProgressScreen,
): Promise<ReplayedOffsets> {
  const positions = new ReplayedOffsets();
  const starts = await tier.offsetsForTime(Math.max(0, since - slackMs));
  using progress = new Progress(`looking through ${tier.topic}`, tier.offsets(starts), screen);
  for await (const { records, offsets } of tier.readAll(starts)) {
    for (const { headers } of records) {
      const position = deadLetterPosition(headers);
      if (position !== undefined) positions.add(position, sourceName(headers));
    }
    progress.advance(offsets);
  }
  return positions;
}
