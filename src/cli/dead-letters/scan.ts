import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter.ts';
import { ReplayedOffsets, deadLetterPosition, sourceName } from '../../kafka/records/replay-headers.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from '../command.ts';
import { Selection } from '../listing/selection.ts';
import { readWhole } from '../read-topics.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';

/**
 * The result of one pass over the dead-letter topic. `dead-letters list` and `dead-letters replay` then make further
 * passes and ask it about each dead letter. One pass is not enough: a marker stands after its dead letter, and `--limit`
 * selects the newest. No dead letter stays in memory, because the topic may be larger than memory.
 *
 * Owns the positions of all replayed dead letters, in about four bytes each, and the ages of at most twice `--limit` dead
 * letters. `scanDeadLetters` creates and fills it. Further passes have to use the same `TopicScan`, which ends at the same
 * offsets. A dead letter written later is in none.
 *
 * Promises:
 * - `isSelected` returns true for exactly `selected` dead letters of a further pass, unless retention deletes some
 *   between. With `--limit` they are the newest of all partitions.
 */
export class DeadLetterScan {
  /** The dead letters that have a marker. */
  readonly replayed = new ReplayedOffsets();
  /** Those of them that were purged. None of them is selected. */
  readonly purged: ReplayedOffsets;
  readonly #selection: Selection;
  readonly #onMatch: (letter: DeadLetter) => void;

  constructor(
    filter: DeadLetterFilter,
    now: number,
    onMatch: (letter: DeadLetter) => void,
    purged = new ReplayedOffsets(),
  ) {
    this.purged = purged;
    this.#selection = new Selection(filter, now);
    this.#onMatch = onMatch;
  }

  get selected(): number {
    return this.#selection.selected;
  }

  /** Returns true if the dead letter meets all conditions of the filter, including the limit. */
  isSelected(letter: DeadLetter): boolean {
    return !this.#isPurged(letter) && this.#selection.isSelected(letter);
  }

  add(record: SourceRecord): void {
    const found = readDeadLetter(record);
    if (found.kind === 'marker') {
      if (found.of === undefined) return;
      this.replayed.add(found.of, found.source);
      if (found.isPurge) this.purged.add(found.of, found.source);
    } else if (!this.#isPurged(found.letter) && this.#selection.offer(found.letter)) {
      this.#onMatch(found.letter);
    }
  }

  #isPurged({ record, source }: DeadLetter): boolean {
    return this.purged.has(record, source);
  }
}

/**
 * Reads the topic once, and once more if it has purged dead letters, since their markers stand behind them. Calls `onMatch` for each dead letter that matches the filter, even beyond the limit.
 */
export async function scanDeadLetters(
  scan: ScannedTopic,
  filter: DeadLetterFilter,
  screen: ProgressScreen,
  onMatch: (letter: DeadLetter) => void = () => undefined,
): Promise<DeadLetterScan> {
  const now = screen.clock.now();
  const pass = async (purged?: ReplayedOffsets): Promise<DeadLetterScan> => {
    const found = new DeadLetterScan(filter, now, onMatch, purged);
    for await (const records of readWhole(`looking through ${scan.topic}`, scan, screen))
      for (const record of records) found.add(record);
    return found;
  };
  const found = await pass();
  return found.purged.isEmpty ? found : pass(found.purged);
}

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
  for await (const records of readWhole(`looking through ${tier.topic}`, tier, screen, starts)) {
    for (const { headers } of records) {
      const position = deadLetterPosition(headers);
      if (position !== undefined) positions.add(position, sourceName(headers));
    }
  }
  return positions;
}
