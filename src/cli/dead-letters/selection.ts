import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { resolveTimeArgument } from '../terminal/time-argument.ts';

/** Creates a predicate for the conditions of a filter, except for the limit. */
export function createMatch(filter: DeadLetterFilter, now: number): (letter: DeadLetter) => boolean {
  const since = filter.since === undefined ? Number.NEGATIVE_INFINITY : resolveTimeArgument(filter.since, now);
  const until = filter.until === undefined ? Number.POSITIVE_INFINITY : resolveTimeArgument(filter.until, now);
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
