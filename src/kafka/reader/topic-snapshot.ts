import { withoutHeaders, type Offsets, type LogRecord } from '../client/topic-log.ts';
import type { Kafka } from '../client/kafka.ts';
import { isAcceptance, NewestVersions } from './newest-versions.ts';
import { systemClock, type MonotonicClock } from '../../lib/clock.ts';
import { collectGarbage } from './collect-garbage.ts';
import { assertMoving, TopicPositions } from './topic-positions.ts';

/** The newest value of one key of a compacted topic. */
interface NewestVersion {
  readonly value: Buffer;
  /** The key's partition. Its next version must go there too, because partitions have no order between them. */
  readonly partition: number;
}

export interface TopicSnapshot {
  /** Values by key, without keys that were removed. */
  readonly newest: ReadonlyMap<string, NewestVersion>;
  /** Keys that have an older value in another partition than that of their newest record, with those partitions. */
  readonly older: ReadonlyMap<string, readonly number[]>;
  readonly partitions: number;
  readonly ends: Offsets;
}

interface SnapshotOptions {
  readonly onlyKey?: string;
  readonly before?: TopicSnapshot;
  readonly clock?: MonotonicClock;
}

/**
 * Reads a topic once, up to its current end; of one key, or of all. With `before`, reads on from its end, and keeps
 * its versions as the same objects where there is no newer record. Rejects when Kafka can't be reached or refuses, and when it
 * gives nothing below that end for a minute. The memory that it takes grows with the keys that it keeps.
 */
export async function readSnapshot(
  kafka: Kafka,
  topic: string,
  signal: AbortSignal,
  { onlyKey, before, clock = systemClock }: SnapshotOptions = {},
): Promise<TopicSnapshot> {
  await using log = kafka.openLog(topic, withoutHeaders);
  await log.refresh();
  const ends = await log.ends();
  const leaders = log.leaders();
  const { newest, ends: read = [] } = before ?? {};
  const starts = new Map([...(await log.starts([...ends.keys()])), ...read]);
  const collected = new CollectedVersions(ends.size, onlyKey, newest);
  for (const leader of new Set(leaders.values())) {
    const ledEnds = new Map([...ends].filter(([partition]) => leaders.get(partition) === leader));
    const ledStarts = new Map([...starts].filter(([partition]) => ledEnds.has(partition)));
    const positions = new TopicPositions(ledStarts, clock.monotonic());
    while (!positions.hasReached(ledEnds)) {
      signal.throwIfAborted();
      const sentAt = clock.monotonic();
      for (const fetched of await log.fetch(leader, positions.all())) {
        fetched.records.forEach((record) => collected.take(record, fetched.partition));
        positions.advance(fetched, sentAt);
      }
      assertAllMoving(topic, positions, sentAt);
      // Only garbage is left of the others, as large as an answer.
      if (onlyKey !== undefined) collectGarbage();
    }
  }
  return { newest: collected.newest, older: collected.older(), partitions: ends.size, ends };
}

function assertAllMoving(topic: string, positions: TopicPositions, now: number): void {
  const oldest = positions.oldest('knownAt');
  if (oldest !== undefined) assertMoving(topic, oldest.knownAt, now, oldest);
}

/** The newest version of each key, and the partitions in which the last record of a key is a value. */
class CollectedVersions {
  readonly newest: Map<string, NewestVersion>;
  readonly #versions: NewestVersions;
  readonly #places = new Map<string, Set<number>>();

  /** Undefined for all keys. */
  readonly #onlyKey: string | undefined;

  constructor(partitions: number, onlyKey: string | undefined, newest: TopicSnapshot['newest'] = new Map()) {
    this.newest = new Map(newest);
    this.#onlyKey = onlyKey;
    this.#versions = new NewestVersions(partitions);
  }

  take({ key, value, timestamp }: LogRecord, partition: number): void {
    if (key === null) return;
    const id = key.toString('utf8');
    if (isAcceptance(id, value, this.#places.has(id)) || id !== (this.#onlyKey ?? id)) return;
    const places = this.#places.get(id) ?? new Set();
    this.#places.set(id, places);
    if (value === null) places.delete(partition);
    else places.add(partition);
    if (!this.#versions.take(id, { partition, timestamp: Number(timestamp), isRemoval: value === null })) return;
    // Copies the value, which is a slice of the whole response.
    if (value === null) this.newest.delete(id);
    else this.newest.set(id, { value: Buffer.from(value), partition });
  }

  older(): ReadonlyMap<string, readonly number[]> {
    const older = new Map<string, readonly number[]>();
    for (const [id, places] of this.#places) {
      const others = [...places].filter((partition) => partition !== this.newest.get(id)?.partition);
      if (others.length > 0) older.set(id, others);
    }
    return older;
  }
}
