import type { Kafka, Cluster as PublicCluster } from 'kafkajs';
import type {
  FullTopicLog,
  Offsets,
  TopicLogOptions,
  FetchedPartition,
  FullRecord,
  LogFetchOptions,
} from '../client/topic-log.ts';
import { endFetches } from './repairs/fetch-after-stop.ts';
import { fetchTopicStates } from './topic-states.ts';
import { readableRecords } from './fetch/aborted-records.ts';
import type { Broker, Cluster } from './internals.ts';
import type * as port from '../client/kafka.ts';
import { partitionKey } from '../client/consumer.ts';

export function openTopicLog(
  kafka: Pick<Kafka, 'consumer'>,
  topic: string,
  options: TopicLogOptions = {},
): FullTopicLog {
  const { consumer, cluster } = openCluster(kafka, options.endsAtTransactions !== true);
  const leaders = (): ReadonlyMap<number, number> =>
    new Map(cluster.findTopicPartitionMetadata(topic).map(({ partitionId, leader }) => [partitionId, leader]));
  let states: Awaited<ReturnType<typeof fetchTopicStates>>;
  /** False after a failure, because a broker may have another address. */
  let isCurrent = false;
  const noteFailure = (error: unknown): never => {
    isCurrent = false;
    throw error;
  };
  const partitions = (): readonly number[] => [...leaders().keys()];
  const look = async (): Promise<void> => {
    states = await fetchTopicStates(await cluster.findControllerBroker(), [topic]);
    // kafkajs asks for itself only if something has changed, or the topic can't be read, which it rejects.
    if (!isSameMap(states?.leaders.get(topic), leaders())) await cluster.refreshMetadata();
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
    id: () => states?.ids.get(topic),
    clusterId: () => states?.clusterId,
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
      return fetchFromLog(broker, topic, positions, { ...options, waitMs }).catch(noteFailure);
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

/** Time in ms for which a broker holds back an empty answer, unless the caller asks for another time. */
const usualWaitMs = 250;
/** Limit of bytes in one answer, so that decoding it blocks the event loop for some milliseconds only. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Fetches from partitions of one topic that a broker leads. It waits for up to `waitMs` if there are no records.
 *
 * Only a record or the rest of its batch moves a position, so a broker that answers without records hides none. One that reads
 * from tiered storage does so whenever that takes longer than its limit. Kafka keeps the last batch of what it compacts
 * (KAFKA-17076), so the end is reached.
 */
export async function fetchFromLog(
  broker: Pick<Broker, 'fetchRecords'>,
  topic: string,
  positions: Offsets,
  {
    headers,
    maxPartitionBytes = maxBytes / 2,
    waitMs = usualWaitMs,
  }: LogFetchOptions & { readonly waitMs?: number | undefined } = {},
): Promise<readonly FetchedPartition<FullRecord>[]> {
  const partitions = [...positions].map(([partition, fetchOffset]) => ({
    topic,
    partition,
    fetchOffset,
    maxBytes: maxPartitionBytes,
  }));
  const limits = { maxWaitTime: Math.ceil(waitMs), minBytes: 1, maxBytes };
  const answer = await broker.fetchRecords({ ...limits, includesEmpty: true, partitions, headers });
  return answer.map((data) => {
    const { asked, messages, highWatermark: end, lastStableOffset: stableEnd, unreadable } = data;
    if (unreadable !== undefined) throw unreadable;
    const { partition, fetchOffset: from } = asked;
    const next = Math.max(from, Number(messages.at(-1)?.offset ?? -1) + 1);
    return { partition, from, next, end, stableEnd, records: readableRecords(data) };
  });
}

/**
 * Creates a consumer that never runs, and so joins no group. Its partition assignor is the only way to the `Cluster` inside of
 * kafkajs, through which the log is read. With `readUncommitted`, the end of a partition is its high watermark.
 */
function openCluster(
  kafka: Pick<Kafka, 'consumer'>,
  readUncommitted: boolean,
): { consumer: ReturnType<Kafka['consumer']>; cluster: Cluster } {
  const clusters: PublicCluster[] = [];
  const consumer = kafka.consumer({
    groupId: 'none',
    allowAutoTopicCreation: false,
    readUncommitted,
    partitionAssigners: [
      (context) => {
        clusters.push(context.cluster);
        return { name: 'none', version: 0, assign: () => Promise.resolve([]), protocol: () => noProtocol };
      },
    ],
  });
  const [cluster] = clusters;
  if (cluster === undefined || !isCluster(cluster)) throw new TypeError('kafkajs passed no cluster to the assignor');
  return { consumer, cluster };
}

/** Connects a cluster. It disconnects at the end of its scope. */
export async function connectCluster(kafka: Pick<Kafka, 'consumer'>): Promise<port.Cluster> {
  const { consumer, cluster } = openCluster(kafka, true);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => consumer.disconnect());
  await consumer.connect();
  const owned = opened.move();
  return {
    async listTopics(names) {
      const broker = await cluster.brokerPool.findConnectedBroker();
      const states = await fetchTopicStates(broker, names);
      const found = states?.ids.keys() ?? (await broker.metadata([])).topicMetadata.map(({ topic }) => topic);
      return [...found].filter((topic) => names?.includes(topic) ?? true);
    },
    async fetchEnds(topic, partitions) {
      await cluster.addTargetTopic(topic);
      return listOffsets(cluster, topic, partitions, { fromBeginning: false });
    },
    async commit(groupId, { topics }) {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      const asked = topics.map(({ topic, partitions }) => ({ topic, partitions: [...partitions] }));
      await coordinator.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', topics: asked });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function isCluster(cluster: PublicCluster): cluster is Cluster {
  return 'brokerPool' in cluster;
}

const noProtocol = { name: 'none', metadata: Buffer.alloc(0) };

class OffsetMissingError extends Error {
  override readonly name = 'OffsetMissingError';
}

async function listOffsets(
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
