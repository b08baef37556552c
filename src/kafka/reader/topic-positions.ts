import type { FetchedPartition, Offsets } from '../client/topic-log.ts';

type FetchedOffsets = Pick<FetchedPartition, 'partition' | 'next' | 'end' | 'stableEnd'>;

/** A partition as its broker last answered for it: `next` is the offset to read next. Times are monotonic. */
interface PartitionPosition extends FetchedOffsets {
  /** The time at which the last fetch that was answered had been sent. */
  readonly answeredAt: number;
  /** The time at which the last fetch had been sent whose answer moved the position, or showed that it is at the end. */
  readonly knownAt: number;
}

/** The next offset to read of each partition of a topic, and the end that the broker last reported. */
export class TopicPositions {
  readonly #partitions = new Map<number, PartitionPosition>();

  constructor(starts: Offsets, now: number) {
    for (const [partition, start] of starts) {
      const offsets = { next: start, end: start, stableEnd: start };
      this.#partitions.set(partition, { partition, ...offsets, answeredAt: now, knownAt: now });
    }
  }

  /** Returns the next offset to read of each of these partitions that is known. */
  of(partitions: Iterable<number>): Offsets {
    const positions = new Map<number, number>();
    for (const partition of partitions) {
      const known = this.#partitions.get(partition);
      if (known !== undefined) positions.set(partition, known.next);
    }
    return positions;
  }

  all(): Offsets {
    return this.of(this.#partitions.keys());
  }

  /** Takes the answer to a fetch that was sent at this time. Its records are applied. */
  advance({ partition, from, next, end, stableEnd }: FetchedOffsets & { readonly from: number }, sentAt: number): void {
    const isKnown = next > from || next >= end;
    const knownAt = isKnown ? sentAt : this.knownAt(partition);
    this.#partitions.set(partition, { partition, next, end, stableEnd, answeredAt: sentAt, knownAt });
  }

  knownAt(partition: number): number {
    return this.#partitions.get(partition)?.knownAt ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the partition that was not answered for, or not known to its end, for longest. */
  oldest(by: 'answeredAt' | 'knownAt'): PartitionPosition | undefined {
    const partitions = this.#partitions.values();
    return partitions.reduce<PartitionPosition | undefined>(
      (oldest, one) => (oldest === undefined || one[by] < oldest[by] ? one : oldest),
      undefined,
    );
  }

  /** Returns true if everything below these ends has been read. False with the end of a partition that is not read. */
  hasReached(ends: Offsets): boolean {
    for (const [partition, end] of ends) if ((this.#partitions.get(partition)?.next ?? -1) < end) return false;
    return true;
  }

  /** Returns the number of offsets from the positions to the ends that the broker last reported. */
  lagRecords(): number {
    let lag = 0;
    for (const { next, end } of this.#partitions.values()) lag += Math.max(0, end - next);
    return lag;
  }
}

/** Says where a partition is not read on although its broker answers, and why. */
export function describeStandstill({ partition, next, end, stableEnd }: FetchedOffsets): string {
  const why = stableEnd < end ? `a transaction is open at offset ${stableEnd}` : 'its broker answers without records';
  return `partition ${partition} from offset ${next} on: ${why}`;
}

/** A broker answers for a partition, but gives nothing of what is below its end. */
class TopicStandstillError extends Error {
  override readonly name = 'TopicStandstillError';
}

/** Longest time in ms that a command waits for the next record of a partition. Slow remote storage answers within it. */
const patienceMs = 60_000;
/** Pause in ms after an answer without records that could have some. Such brokers may answer at once. */
export const standstillPauseMs = 100;

/** Throws if no record came since that time for longer than a command waits. It would skip records otherwise. */
export function assertMoving(topic: string, since: number, now: number, found: FetchedOffsets): void {
  if (now - since > patienceMs) throw new TopicStandstillError(`${topic} can't be read: ${describeStandstill(found)}`);
}

/** The topic ends before records that were read. It was truncated, or deleted and created again. */
export class TopicTruncatedError extends Error {
  override readonly name = 'TopicTruncatedError';
}

/** Returns true if a partition ends before a position that was read. It was truncated, or the topic was recreated. */
export function isTruncated(ends: Offsets, read: Offsets): boolean {
  for (const [partition, position] of read) if ((ends.get(partition) ?? position) < position) return true;
  return false;
}
