import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { ageOf, compareAges, createMatch, Newest } from './selection.ts';

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
  readonly #matches: (letter: DeadLetter) => boolean;
  readonly #newest: Newest | undefined;
  readonly #limit: number;
  readonly #onMatch: (letter: DeadLetter) => void;
  #matching = 0;

  constructor(filter: DeadLetterFilter, now: number, onMatch: (letter: DeadLetter) => void) {
    this.#matches = createMatch(filter, now);
    this.#limit = filter.limit ?? Number.POSITIVE_INFINITY;
    this.#newest = filter.limit === undefined ? undefined : new Newest(filter.limit);
    this.#onMatch = onMatch;
  }

  get selected(): number {
    return Math.min(this.#matching, this.#limit);
  }

  /** Returns true if the dead letter meets all conditions of the filter, including the limit. */
  isSelected(letter: DeadLetter): boolean {
    const oldest = this.#newest?.oldest();
    return this.#matches(letter) && (oldest === undefined || compareAges(ageOf(letter), oldest) >= 0);
  }

  add(record: SourceRecord): void {
    const found = readDeadLetter(record);
    if (found.kind === 'marker') {
      if (found.of !== undefined) this.replayed.add(found.of, found.source);
    } else if (this.#matches(found.letter)) {
      this.#matching += 1;
      this.#newest?.offer(found.letter);
      this.#onMatch(found.letter);
    }
  }
}

/** Reads the topic once. Calls `onMatch` for each dead letter that matches the filter, even beyond the limit. */
export async function scanDeadLetters(
  scan: ScannedTopic,
  filter: DeadLetterFilter,
  screen: ProgressScreen,
  onMatch: (letter: DeadLetter) => void = () => undefined,
): Promise<DeadLetterScan> {
  const found = new DeadLetterScan(filter, screen.clock.now(), onMatch);
  using progress = new Progress(`looking through ${scan.topic}`, scan.offsets(), screen);
  for await (const { records, offsets } of scan.readAll()) {
    for (const record of records) found.add(record);
    progress.advance(offsets);
  }
  return found;
}
