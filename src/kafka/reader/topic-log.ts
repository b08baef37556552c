import type { Broker, Cluster as PublicCluster, Kafka } from 'kafkajs';
import { loadInternals } from '../kafkajs/load.ts';
import type { Cluster, KafkajsInternals, PartitionData } from '../kafkajs/internals.ts';
import { fetchTopicIds } from '../kafkajs/topic-ids.ts';
import { unreadableOf } from '../kafkajs/batches/unreadable-mark.ts';
import type { LogRecord, FullRecord } from '../records/source-record.ts';
import { positionAfter } from './topic-positions.ts';

/** Offsets by partition. */
export type Offsets = ReadonlyMap<number, number>;

export interface FetchedPartition<Found extends LogRecord = LogRecord> {
  readonly partition: number;
  /** The offset that was asked for. */
  readonly from: number;
  /** The offset to ask for next: behind what was compacted away, too. */
  readonly next: number;
  /** The last stable offset: what a reader of committed records can reach. */
  readonly end: number;
  /** Without those of aborted transactions. Their buffers are slices of the whole response. */
  readonly records: readonly Found[];
}

/** A topic read without a consumer group: nothing to commit, nobody to rebalance with, only Read on the topic. */
export interface TopicLog<Found extends LogRecord = LogRecord> extends AsyncDisposable {
  /** Connects if need be, and asks which broker leads which partition. Rejects if the topic is not there. */
  refresh(): Promise<void>;
  /** What tells the topic from an earlier one of its name, as of the last refresh; undefined where brokers do not say. */
  id(): string | undefined;
  /** The leading broker by partition, as of the last refresh. */
  leaders(): ReadonlyMap<number, number>;
  starts(partitions: readonly number[]): Promise<Offsets>;
  ends(partitions: readonly number[]): Promise<Offsets>;
  /** Waits at the broker for a moment when there is nothing new. */
  fetch(leader: number, positions: Offsets): Promise<readonly FetchedPartition<Found>[]>;
}

/** One that tells of times, too. */
export interface FullTopicLog extends TopicLog<FullRecord> {
  /** The first record of that time (epoch milliseconds) or later; the end where there is none. */
  offsetsForTime(partitions: readonly number[], at: number): Promise<Offsets>;
}

/** A broker left an offset out of its answer. */
class OffsetMissingError extends Error {
  override readonly name = 'OffsetMissingError';
}

const maxWaitMs = 250;
/** Small enough that one response holds up the event loop for some milliseconds only. */
const maxBytes = 2 * 1024 * 1024;
const readCommitted = 1;

export function openTopicLog(kafka: Kafka, topic: string): FullTopicLog {
  const { Batch } = loadInternals();
  const { consumer, cluster } = openCluster(kafka);
  let id: string | undefined;
  return {
    async refresh() {
      await consumer.connect();
      await cluster.addTargetTopic(topic);
      await cluster.refreshMetadata();
      id = (await fetchTopicIds(cluster, [topic]))?.get(topic);
    },
    id: () => id,
    leaders: () =>
      new Map(cluster.findTopicPartitionMetadata(topic).map(({ partitionId, leader }) => [partitionId, leader])),
    starts: (partitions) => listOffsets(cluster, topic, partitions, { fromBeginning: true }),
    ends: (partitions) => listOffsets(cluster, topic, partitions, { fromBeginning: false }),
    async offsetsForTime(partitions, at) {
      const ends = await listOffsets(cluster, topic, partitions, { fromBeginning: false });
      const found = await listOffsets(cluster, topic, partitions, { fromTimestamp: at });
      return new Map(
        [...found].map(([partition, offset]) => [partition, offset < 0 ? (ends.get(partition) ?? 0) : offset]),
      );
    },
    async fetch(leader, positions) {
      const broker = await cluster.findBroker({ nodeId: String(leader) });
      const partitions = await fetchPartitions(broker, topic, positions);
      const isEmpty = partitions.every(({ messages }) => messages.length === 0);
      return partitions.map((data) => readPartition(Batch, topic, data, positions.get(data.partition) ?? 0, isEmpty));
    },
    async [Symbol.asyncDispose]() {
      await consumer.disconnect();
    },
  };
}

/** A consumer that never runs joins no group. Its assigner's factory is handed the cluster, which the log is read by. */
function openCluster(kafka: Kafka): { consumer: ReturnType<Kafka['consumer']>; cluster: Cluster } {
  const clusters: PublicCluster[] = [];
  const consumer = kafka.consumer({
    groupId: 'none',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (context) => {
        clusters.push(context.cluster);
        return { name: 'none', version: 0, assign: () => Promise.resolve([]), protocol: () => noProtocol };
      },
    ],
  });
  const [cluster] = clusters;
  if (cluster === undefined || !isCluster(cluster)) throw new TypeError('kafkajs handed no cluster to the assigner');
  return { consumer, cluster };
}

function isCluster(cluster: PublicCluster): cluster is Cluster {
  return 'brokerPool' in cluster;
}

const noProtocol = { name: 'none', metadata: Buffer.alloc(0) };

async function listOffsets(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  place: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
): Promise<Offsets> {
  const asked = partitions.map((partition) => ({ partition }));
  const answer = await cluster.fetchTopicsOffset([{ topic, partitions: asked, ...place }]);
  const offsets = new Map(answer[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  const missing = partitions.find((partition) => !offsets.has(partition));
  if (missing !== undefined) throw new OffsetMissingError(`no offset of ${topic}/${String(missing)}`);
  return offsets;
}

async function fetchPartitions(broker: Broker, topic: string, positions: Offsets): Promise<readonly PartitionData[]> {
  const partitions = [...positions].map(([partition, position]) => ({
    partition,
    fetchOffset: String(position),
    maxBytes: maxBytes / 2,
  }));
  const response: { readonly responses: readonly { readonly partitions: readonly PartitionData[] }[] } =
    await broker.fetch({
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes,
      isolationLevel: readCommitted,
      topics: [{ topic, partitions }],
    });
  return response.responses.flatMap((answer) => answer.partitions);
}

function readPartition(
  Batch: KafkajsInternals['Batch'],
  topic: string,
  data: PartitionData,
  from: number,
  isResponseEmpty: boolean,
): FetchedPartition<FullRecord> {
  const unreadable = unreadableOf(data.messages);
  if (unreadable !== undefined) throw unreadable;
  const end = Number(data.lastStableOffset);
  const lastOffset = data.messages.at(-1)?.offset;
  const last = lastOffset === undefined ? undefined : Number(lastOffset);
  return {
    partition: data.partition,
    from,
    next: positionAfter({ from, last, end, isResponseEmpty }),
    end,
    records: new Batch(topic, String(from), data).messages,
  };
}
