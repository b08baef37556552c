import type { Batch, IHeaders } from 'kafkajs';
import type { FetchedPartition, TopicPlace } from './memory-broker.ts';
import type { LoggedRecord } from './partition-log.ts';
import type { Assigned } from './group-member.ts';

/** What a consumer reads: its partitions, where it stands in each, and which are paused. */
export class Subscription {
  /** Kept across joins, as kafkajs keeps it. */
  readonly #paused = new Set<string>();
  readonly #positions = new Map<string, number>();
  #assigned: readonly TopicPlace[] = [];

  /** Where reading begins is for the group's commits to say. */
  assign(assigned: Assigned): void {
    this.#positions.clear();
    this.#assigned = Object.entries(assigned).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
  }

  active(): readonly TopicPlace[] {
    return this.#assigned.filter((place) => !this.isPaused(place));
  }

  isPaused(place: TopicPlace): boolean {
    return this.#paused.has(keyOf(place));
  }

  pause(place: TopicPlace): void {
    this.#paused.add(keyOf(place));
  }

  resume(place: TopicPlace): void {
    this.#paused.delete(keyOf(place));
  }

  position(place: TopicPlace): number | undefined {
    return this.#positions.get(keyOf(place));
  }

  seek(place: TopicPlace, offset: number): void {
    this.#positions.set(keyOf(place), offset);
  }
}

function keyOf({ topic, partition }: TopicPlace): string {
  return `${topic}/${partition}`;
}

/** A fetched partition as kafkajs hands it on. `next - 1` is its last offset, that of what holds no record included. */
export function toBatch(
  { topic, partition, from, end }: FetchedPartition,
  { records, next }: { readonly records: readonly LoggedRecord[]; readonly next: number },
): Batch {
  return {
    topic,
    partition,
    highWatermark: String(end),
    messages: records.map(({ key, value, headers, offset, timestamp }) => ({
      key,
      value,
      headers: toHeaders(headers),
      offset: String(offset),
      timestamp: String(timestamp),
      attributes: 0,
    })),
    isEmpty: () => records.length === 0,
    firstOffset: () => String(records[0]?.offset ?? from),
    lastOffset: () => String(next - 1),
    offsetLag: () => String(end - next),
    offsetLagLow: () => String(end - from),
  };
}

/** What was written as text is read as bytes. */
function toHeaders(headers: IHeaders): IHeaders {
  const bytes = (text: string | Buffer): Buffer => (Buffer.isBuffer(text) ? text : Buffer.from(text));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(bytes) : bytes(value ?? ''),
    ]),
  );
}
