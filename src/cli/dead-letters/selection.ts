import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { resolveTimeArgument } from '../terminal/time-argument.ts';

/** Whether a dead letter meets all conditions but the limit. */
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

/** What tells which of two dead letters is newer. */
export type Age = readonly [failedAt: number, partition: number, offset: number];

export function ageOf({ failedAt, record }: DeadLetter): Age {
  return [failedAt, record.partition, record.offset];
}

/** Negative when the first is older. */
export function compareAges(one: Age, other: Age): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** Finds the newest of many that come by, in memory for twice as many as are wanted. */
export class Newest {
  readonly #limit: number;
  #ages: Age[] = [];
  #isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(letter: DeadLetter): void {
    this.#ages.push(ageOf(letter));
    this.#isCut = false;
    if (this.#ages.length >= 2 * this.#limit) this.#cut();
  }

  /** The oldest of them; undefined when no more came by than are wanted. */
  oldest(): Age | undefined {
    if (this.#ages.length < this.#limit) return undefined;
    this.#cut();
    return this.#ages[0];
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#ages = this.#ages.toSorted(compareAges).slice(-this.#limit);
    this.#isCut = true;
  }
}
