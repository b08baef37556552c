/** The next offset to read of each partition of a topic, and the end that the broker last reported. */
export class TopicPositions {
  readonly #partitions = new Map<number, PartitionPosition>();

  constructor(starts: ReadonlyMap<number, number>) {
    for (const [partition, start] of starts) this.#partitions.set(partition, { position: start, end: start });
  }

  /** Returns the next offset to read of each of these partitions that is known. */
  of(partitions: Iterable<number>): ReadonlyMap<number, number> {
    const positions = new Map<number, number>();
    for (const partition of partitions) {
      const known = this.#partitions.get(partition);
      if (known !== undefined) positions.set(partition, known.position);
    }
    return positions;
  }

  all(): ReadonlyMap<number, number> {
    return this.of(this.#partitions.keys());
  }

  advance(partition: number, position: PartitionPosition): void {
    this.#partitions.set(partition, position);
  }

  /** Returns true if everything below these ends has been read. */
  hasReached(ends: ReadonlyMap<number, number>): boolean {
    for (const [partition, end] of ends) if ((this.#partitions.get(partition)?.position ?? -1) < end) return false;
    return true;
  }

  /** Returns the number of offsets from the positions to the ends that the broker last reported. */
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

/** Returns true if a partition ends before a position that was read. It was truncated, or the topic was recreated. */
export function isTruncated(ends: ReadonlyMap<number, number>, read: ReadonlyMap<number, number>): boolean {
  for (const [partition, position] of read) if ((ends.get(partition) ?? position) < position) return true;
  return false;
}
