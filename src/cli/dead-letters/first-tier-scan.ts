import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import { deadLetterPosition, sourceName } from '../../kafka/records/replay-headers.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';

/** What one batch may take, with writes that are tried again; and clocks of two machines differ. */
const slackMs = 10 * 60_000;

/**
 * The dead letters whose deliveries are in the first tier: a replay that was killed has put some there and not marked
 * them. The topic is read from that time on.
 */
export async function scanFirstTier(
  tier: TopicScan,
  since: number | undefined,
  screen: ProgressScreen,
): Promise<ReplayedOffsets> {
  const places = new ReplayedOffsets();
  if (since === undefined) return places;
  const starts = await tier.offsetsForTime(Math.max(0, since - slackMs));
  using progress = new Progress(`looking through ${tier.topic}`, tier.offsets(starts), screen);
  for await (const { records, offsets } of tier.readAll(starts)) {
    for (const { headers } of records) {
      const place = deadLetterPosition(headers);
      if (place !== undefined) places.add(place, sourceName(headers));
    }
    progress.advance(offsets);
  }
  return places;
}
