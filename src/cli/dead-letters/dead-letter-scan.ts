import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { ageOf, compareAges, createMatch, Newest } from './selection.ts';

/** What has to be known of the whole topic before anything can be said of one dead letter. */
export interface DeadLetterScan {
  /** The markers, which may stand anywhere behind their dead letters. */
  readonly replayed: ReplayedOffsets;
  /** How many are meant. */
  readonly selected: number;
  /** By all conditions, the limit included. */
  isSelected(letter: DeadLetter): boolean;
  /** Epoch milliseconds: whatever a replay broke off in the middle of was written after this. */
  readonly unmarkedSince: number | undefined;
}

/** Reads the topic once. `seen` is given each dead letter that matches, whatever the limit. */
export async function scanDeadLetters(
  scan: TopicScan,
  filter: DeadLetterFilter,
  screen: ProgressScreen,
  seen: (letter: DeadLetter) => void = () => undefined,
): Promise<DeadLetterScan> {
  const surveyor = new DeadLetterScanner(filter, screen.clock.now(), seen);
  using progress = new Progress(`looking through ${scan.topic}`, scan.offsets(), screen);
  for await (const { records, offsets } of scan.readAll()) {
    for (const record of records) surveyor.take(record);
    progress.advance(offsets);
  }
  return surveyor;
}

class DeadLetterScanner implements DeadLetterScan {
  readonly replayed = new ReplayedOffsets();
  readonly #matches: (letter: DeadLetter) => boolean;
  readonly #newest: Newest | undefined;
  readonly #limit: number;
  readonly #seen: (letter: DeadLetter) => void;
  #matching = 0;
  #lastMarkedAt: number | undefined;
  #firstWrittenAt: number | undefined;

  constructor(filter: DeadLetterFilter, now: number, seen: (letter: DeadLetter) => void) {
    this.#matches = createMatch(filter, now);
    this.#limit = filter.limit ?? Number.POSITIVE_INFINITY;
    this.#newest = filter.limit === undefined ? undefined : new Newest(filter.limit);
    this.#seen = seen;
  }

  get selected(): number {
    return Math.min(this.#matching, this.#limit);
  }

  get unmarkedSince(): number | undefined {
    return this.#lastMarkedAt ?? this.#firstWrittenAt;
  }

  isSelected(letter: DeadLetter): boolean {
    const oldest = this.#newest?.oldest();
    return this.#matches(letter) && (oldest === undefined || compareAges(ageOf(letter), oldest) >= 0);
  }

  take(record: SourceRecord): void {
    const { timestamp = 0 } = record;
    const found = readDeadLetter(record);
    if (found.kind === 'marker') {
      if (found.of !== undefined) this.replayed.add(found.of, found.source);
      this.#lastMarkedAt = Math.max(this.#lastMarkedAt ?? 0, timestamp);
    } else if (this.#matches(found.letter)) {
      this.#matching += 1;
      this.#newest?.offer(found.letter);
      this.#seen(found.letter);
      this.#firstWrittenAt = Math.min(this.#firstWrittenAt ?? timestamp, timestamp);
    }
  }
}
