import type { SourceRecord } from '../../certificates/record.ts';
import { resolveSpan, type TimeArgument } from '../terminal/time-argument.ts';

const facts = ['webhookId', 'ownerId', 'certificateId', 'reason'] as const;
type Facts = Readonly<Record<(typeof facts)[number], string | undefined>>;

/** A record that a list may select: a dead letter, or a retry. An id that it does not have is undefined. */
export interface Listed extends Facts {
  readonly record: SourceRecord;
  /** The time that selects and sorts it, in epoch milliseconds. */
  readonly at: number;
}

export interface RecordFilter extends Facts {
  readonly since: TimeArgument | undefined;
  readonly until: TimeArgument | undefined;
  readonly limit: number | undefined;
}

/** A filter that selects every record. */
export const noConditions = {
  webhookId: undefined,
  ownerId: undefined,
  certificateId: undefined,
  reason: undefined,
  since: undefined,
  until: undefined,
  limit: undefined,
} satisfies RecordFilter;

/**
 * The records that a filter selects. A first pass over the topics offers all of them, and further passes ask about each one,
 * because `--limit` selects the newest. Keeps the ages of at most twice that many.
 */
export class Selection {
  readonly #matches: (item: Listed) => boolean;
  readonly #newest: Newest | undefined;
  readonly #limit: number;
  #matching = 0;

  constructor(filter: RecordFilter, now: number) {
    this.#matches = createMatch(filter, now);
    this.#limit = filter.limit ?? Number.POSITIVE_INFINITY;
    this.#newest = filter.limit === undefined ? undefined : new Newest(filter.limit);
  }

  get selected(): number {
    return Math.min(this.#matching, this.#limit);
  }

  /** Counts a record of the first pass. Returns true if it meets all conditions but the limit. */
  offer(item: Listed): boolean {
    if (!this.#matches(item)) return false;
    this.#matching += 1;
    this.#newest?.offer(item);
    return true;
  }

  /** Returns true if the record meets all conditions of the filter, including the limit. */
  isSelected(item: Listed): boolean {
    const oldest = this.#newest?.oldest();
    return this.#matches(item) && (oldest === undefined || compareAges(ageOf(item), oldest) >= 0);
  }
}

/** Creates a predicate for the conditions of a filter, except for the limit. */
function createMatch(filter: RecordFilter, now: number): (item: Listed) => boolean {
  const [since, until] = resolveSpan(filter.since, filter.until, now);
  return (item) =>
    facts.every((name) => filter[name] === undefined || filter[name] === item[name]) &&
    item.at >= since &&
    item.at < until;
}

/** The sort key of records. No two have the same, because positions are unique. */
export type Age = readonly [at: number, partition: number, offset: number, topic: string];

export function ageOf({ at, record }: Listed): Age {
  return [at, record.partition, record.offset, record.topic];
}

/** Returns a negative number if the first is older. */
export function compareAges(one: Age, other: Age): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2] || (one[3] < other[3] ? -1 : +(one[3] > other[3]));
}

/** Finds the newest records of a stream. Keeps at most twice as many ages as are wanted. */
export class Newest {
  readonly #limit: number;
  #ages: Age[] = [];
  #isTrimmed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(item: Listed): void {
    this.#ages.push(ageOf(item));
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
