import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter.ts';
import { ReplayedOffsets, deadLetterPosition, sourceName } from '../../kafka/records/replay-headers.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from '../command.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { resolveSpan } from '../terminal/time-argument.ts';

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

/** Creates a predicate for the conditions of a filter, except for the limit. */
function createMatch(filter: DeadLetterFilter, now: number): (letter: DeadLetter) => boolean {
  const [since, until] = resolveSpan(filter.since, filter.until, now);
  const { webhookId, ownerId, certificateId, reason } = filter;
  return (letter) =>
    is(webhookId, letter.webhookId) &&
    is(ownerId, letter.ownerId) &&
    is(certificateId, letter.certificateId) &&
    is(reason, letter.reason) &&
    letter.failedAt >= since &&
    letter.failedAt < until;
}

function is(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || wanted === found;
}

/** The sort key of dead letters. No two have the same, because positions are unique. */
export type Age = readonly [failedAt: number, partition: number, offset: number];

export function ageOf({ failedAt, record }: DeadLetter): Age {
  return [failedAt, record.partition, record.offset];
}

/** Returns a negative number if the first is older. */
export function compareAges(one: Age, other: Age): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** Finds the newest dead letters of a stream. Keeps at most twice as many ages as are wanted. */
export class Newest {
  readonly #limit: number;
  #ages: Age[] = [];
  #isTrimmed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(letter: DeadLetter): void {
    this.#ages.push(ageOf(letter));
    this.#isTrimmed = false;
    if (this.#ages.length >= 2 * this.#limit) this.#trim();
  }

  /** Returns the age of the oldest of the newest. Returns undefined while fewer than the limit were offered. */
  oldest(): Age | undefined {
    if (this.#ages.length < this.#limit) return undefined;
    this.#trim();
    return this.#ages[0];
  }

  #trim(): void {
    if (this.#isTrimmed) return;
    this.#ages = this.#ages.toSorted(compareAges).slice(-this.#limit);
    this.#isTrimmed = true;
  }
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
