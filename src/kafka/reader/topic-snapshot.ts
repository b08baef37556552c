import type { Kafka } from 'kafkajs';
import { openTopicLog, type TopicLog } from './topic-log.ts';
import { TopicPositions } from './topic-positions.ts';

/** The newest value of one key of a compacted topic. */
interface NewestVersion {
  readonly value: Buffer;
  /** The key's partition. Its next version must go there too, because partitions have no order between them. */
  readonly partition: number;
}

export interface TopicSnapshot {
  /** Values by key, without keys that were removed. */
  readonly newest: ReadonlyMap<string, NewestVersion>;
  readonly partitions: number;
}

/** Reads a topic once, up to its current end. Rejects when Kafka can't be reached or refuses. */
export async function readSnapshot(kafka: Kafka, topic: string, signal: AbortSignal): Promise<TopicSnapshot> {
  await using log = openTopicLog(kafka, topic);
  await log.refresh();
  const leaders = log.leaders();
  const partitions = [...leaders.keys()];
  const ends = await log.ends(partitions);
  const positions = new TopicPositions(await log.starts(partitions));
  const newest = new Map<string, NewestVersion>();
  for (const leader of new Set(leaders.values())) {
    const ledEnds = new Map([...ends].filter(([partition]) => leaders.get(partition) === leader));
    while (!positions.hasReached(ledEnds)) {
      signal.throwIfAborted();
      await readNext(log, leader, { positions, partitions: ledEnds.keys(), newest });
    }
  }
  return { newest, partitions: partitions.length };
}

async function readNext(
  log: TopicLog,
  leader: number,
  { positions, partitions, newest }: SnapshotProgress,
): Promise<void> {
  for (const { partition, next, end, records } of await log.fetch(leader, positions.of(partitions))) {
    for (const { key, value } of records) {
      if (key === null) continue;
      const id = key.toString('utf8');
      // Copies the value, which is a slice of the whole response.
      if (value === null) newest.delete(id);
      else newest.set(id, { value: Buffer.from(value), partition });
    }
    positions.advance(partition, { position: next, end });
  }
}

interface SnapshotProgress {
  readonly positions: TopicPositions;
  readonly partitions: Iterable<number>;
  readonly newest: Map<string, NewestVersion>;
}
