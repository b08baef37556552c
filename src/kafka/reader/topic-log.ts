import type { Kafka } from 'kafkajs';
import { openCluster } from '../client/cluster.ts';
import { endFetches } from '../kafkajs/fetch-after-stop.ts';
import type { Cluster } from '../kafkajs/internals.ts';
import { fetchTopicStates } from '../kafkajs/topic-states.ts';
import type { LogRecord, FullRecord } from '../records/source-record.ts';
import { partitionKey } from '../partition-key.ts';
import { LogFetch, type FetchedPartition, type LogFetchOptions, type Offsets } from './log-fetch.ts';

export type { FetchedPartition, Offsets };

/** A topic read without a consumer group. There are no commits and no rebalances, and it needs no right but Read. */
export interface TopicLog<Found extends LogRecord = LogRecord> extends AsyncDisposable {
  /** Connects if necessary, and asks for the topic's id and leaders. Rejects if the topic does not exist. */
  refresh(): Promise<void>;
  /** Returns the topic's id as of the last refresh. Undefined if the brokers do not report ids. */
  id(): string | undefined;
  /** Returns the id of the cluster as of the last refresh, if it has one. */
  clusterId(): string | undefined;
  /** Returns the leading broker of each partition as of the last refresh. */
  leaders(): ReadonlyMap<number, number>;
  starts(partitions: readonly number[]): Promise<Offsets>;
  /** Returns the end of each partition that the topic has now. Refreshes its id and leaders. */
  ends(): Promise<Offsets>;
  /** Fetches records from one broker, which waits for `waitMs` if there are none, or else for 250 ms. */
  fetch(leader: number, positions: Offsets, waitMs?: number): Promise<readonly FetchedPartition<Found>[]>;
}

/** A topic log whose records have offsets, timestamps and headers, and that finds offsets by time. */
export interface FullTopicLog extends TopicLog<FullRecord> {
  /** Returns the offset of each partition's first record at or after this time (epoch milliseconds), or its end. */
  offsetsForTime(partitions: readonly number[], epochMs: number): Promise<Offsets>;
}

/** A broker's answer lacks an offset that was asked for. */
class OffsetMissingError extends Error {
  override readonly name = 'OffsetMissingError';
}

interface TopicLogOptions extends LogFetchOptions {
  /** True if open transactions end the log. Otherwise it ends at the high watermark, with all that is acknowledged. */
  readonly endsAtTransactions?: boolean;
}

/** Options for readers that need no headers: they are not built. */
export const withoutHeaders: LogFetchOptions = { headers: { count: 0, bytes: 0 } };

/** Opens the log of a topic. It reads committed records alone. */
export function openTopicLog(kafka: Kafka, topic: string, options: TopicLogOptions = {}): FullTopicLog {
  const { consumer, cluster } = openCluster(kafka, options.endsAtTransactions !== true);
  const logFetch = new LogFetch(topic, options);
  const leaders = (): ReadonlyMap<number, number> =>
    new Map(cluster.findTopicPartitionMetadata(topic).map(({ partitionId, leader }) => [partitionId, leader]));
  let id: string | undefined;
  let clusterId: string | undefined;
  /** False after a failure, because a broker may have another address. */
  let isCurrent = false;
  const noteFailure = (error: unknown): never => {
    isCurrent = false;
    throw error;
  };
  const partitions = (): readonly number[] => [...leaders().keys()];
  const look = async (): Promise<void> => {
    const states = await fetchTopicStates(await cluster.findControllerBroker(), [topic]);
    // kafkajs asks for itself only if something has changed, or the topic can't be read, which it rejects.
    if (!isSameMap(states?.leaders.get(topic), leaders())) await cluster.refreshMetadata();
    id = states?.ids.get(topic);
    clusterId = states?.clusterId;
  };
  const endsOf = (asked: readonly number[]): Promise<Offsets> =>
    listOffsets(cluster, topic, asked, { fromBeginning: false });
  return {
    async refresh() {
      const wasCurrent = isCurrent;
      isCurrent = false;
      await consumer.connect();
      await cluster.addTargetTopic(topic);
      if (!wasCurrent) await cluster.refreshMetadata();
      await look();
      isCurrent = true;
    },
    id: () => id,
    clusterId: () => clusterId,
    leaders,
    starts: (asked) => listOffsets(cluster, topic, asked, { fromBeginning: true }).catch(noteFailure),
    async ends() {
      const asked = partitions();
      const [ends] = await Promise.all([endsOf(asked), look()]).catch(noteFailure);
      return partitions().length === asked.length ? ends : endsOf(partitions()).catch(noteFailure);
    },
    async offsetsForTime(asked, epochMs) {
      const ends = await endsOf(asked);
      const found = await listOffsets(cluster, topic, asked, { fromTimestamp: epochMs });
      return new Map(
        [...found].map(([partition, offset]) => [partition, offset < 0 ? (ends.get(partition) ?? 0) : offset]),
      );
    },
    async fetch(leader, positions, waitMs) {
      const broker = await cluster.findBroker({ nodeId: String(leader) }).catch(noteFailure);
      return logFetch.fetch(broker, positions, waitMs).catch(noteFailure);
    },
    async [Symbol.asyncDispose]() {
      // The disconnect waits for all requests, and brokers hold a fetch while there are no records.
      endFetches(cluster);
      await consumer.disconnect();
    },
  };
}

function isSameMap(one: ReadonlyMap<number, number> | undefined, other: ReadonlyMap<number, number>): boolean {
  return one?.size === other.size && [...other].every(([key, value]) => one.get(key) === value);
}

export async function listOffsets(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  wanted: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
): Promise<Offsets> {
  const requested = partitions.map((partition) => ({ partition }));
  const answer = await cluster.fetchTopicsOffset([{ topic, partitions: requested, ...wanted }]);
  const offsets = new Map(answer[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  const missing = partitions.find((partition) => !offsets.has(partition));
  if (missing !== undefined) throw new OffsetMissingError(`no offset of ${partitionKey(topic, missing)}`);
  return offsets;
}
