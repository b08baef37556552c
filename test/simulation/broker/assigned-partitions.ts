import type { FetchedBatch } from '../../../src/kafka/client/consumer.ts';
import type { FetchedPartition, TopicPartition } from './memory-broker.ts';
import type { LoggedRecord } from './partition-log.ts';
import type { TopicAssignment } from './group-member.ts';

/** The partitions assigned to a consumer, the next offset of each, and which of them are paused. */
export class AssignedPartitions {
  /** Kept across joins, as in kafkajs. */
  readonly #paused = new Set<string>();
  readonly #positions = new Map<string, number>();
  #assigned: readonly TopicPartition[] = [];

  /** Replaces the assignment. Positions are cleared, so reading continues at the committed offsets. */
  assign(assignment: TopicAssignment): void {
    this.#positions.clear();
    this.#assigned = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
  }

  active(): readonly TopicPartition[] {
    return this.#assigned.filter((target) => !this.isPaused(target));
  }

  isPaused(target: TopicPartition): boolean {
    return this.#paused.has(keyOf(target));
  }

  pause(target: TopicPartition): void {
    this.#paused.add(keyOf(target));
  }

  resume(target: TopicPartition): void {
    this.#paused.delete(keyOf(target));
  }

  position(target: TopicPartition): number | undefined {
    return this.#positions.get(keyOf(target));
  }

  seek(target: TopicPartition, offset: number): void {
    this.#positions.set(keyOf(target), offset);
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Returns a fetched partition as a batch. The last offset, `next - 1`, may be one without a record. */
export function toBatch(
  { topic, partition, end }: FetchedPartition,
  { records, next }: { readonly records: readonly LoggedRecord[]; readonly next: number },
): FetchedBatch {
  return {
    topic,
    partition,
    highWatermark: end,
    messages: records.map(({ key, value, headers, offset, timestamp }) => ({
      key,
      value,
      headers,
      offset: String(offset),
      timestamp: String(timestamp),
    })),
    lastOffset: () => String(next - 1),
  };
}
