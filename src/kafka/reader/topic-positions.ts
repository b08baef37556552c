/** How far a topic has been read, by partition. */
export class TopicPositions {
  readonly #partitions = new Map<number, PartitionPosition>();

  constructor(starts: ReadonlyMap<number, number>) {
    this.add(starts);
  }

  /** Partitions that are new: read from their start. */
  add(starts: ReadonlyMap<number, number>): void {
    for (const [partition, start] of starts) this.#partitions.set(partition, { position: start, end: start });
  }

  has(partition: number): boolean {
    return this.#partitions.has(partition);
  }

  /** The next offset to read, of those partitions that are known. */
  of(partitions: Iterable<number>): ReadonlyMap<number, number> {
    const positions = new Map<number, number>();
    for (const partition of partitions) {
      const place = this.#partitions.get(partition);
      if (place !== undefined) positions.set(partition, place.position);
    }
    return positions;
  }

  all(): ReadonlyMap<number, number> {
    return this.of(this.#partitions.keys());
  }

  advance(partition: number, place: PartitionPosition): void {
    this.#partitions.set(partition, place);
  }

  /** Whether everything below these ends has been read. */
  hasReached(ends: ReadonlyMap<number, number>): boolean {
    for (const [partition, end] of ends) if ((this.#partitions.get(partition)?.position ?? -1) < end) return false;
    return true;
  }

  /** Offsets between where we are and where the broker last said the end is. */
  lagRecords(): number {
    let lag = 0;
    for (const { position, end } of this.#partitions.values()) lag += Math.max(0, end - position);
    return lag;
  }
}

interface PartitionPosition {
  readonly position: number;
  readonly end: number;
}

/**
 * The offset to fetch next. The broker skips what was compacted away, and cuts a response at its byte limit; but
 * a response without any record was not cut, so nothing is left below the end that it names.
 */
export function positionAfter(fetched: {
  readonly from: number;
  /** The highest offset in the response, control records included. */
  readonly last: number | undefined;
  readonly end: number;
  readonly isResponseEmpty: boolean;
}): number {
  const { from, last, end, isResponseEmpty } = fetched;
  if (last !== undefined) return Math.max(from, last + 1);
  return isResponseEmpty ? Math.max(from, end) : from;
}

/** Whether a log ends before a place that had been read: it was cut off, or is another one by the same name. */
export function isTruncated(ends: ReadonlyMap<number, number>, read: ReadonlyMap<number, number>): boolean {
  for (const [partition, position] of read) if ((ends.get(partition) ?? position) < position) return true;
  return false;
}
