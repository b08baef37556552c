import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import { deadLetterPosition, sourceName } from '../../kafka/records/replay-headers.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';

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
