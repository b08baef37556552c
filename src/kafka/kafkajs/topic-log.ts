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
import { earliest, latest, leadersOf, listOffsets, type Leaders } from './list-offsets.ts';
import { connectedBroker } from './send-frame.ts';
import { askForTopics, decodeTopicStates, fetchTopicStates, type ClusterStates } from './topic-states.ts';
import { readableRecords } from './fetch/aborted-records.ts';
import type { Broker, Cluster, Metadata } from './internals.ts';
import type * as port from '../client/kafka.ts';

export function openTopicLog(
  kafka: Pick<Kafka, 'consumer'>,
  topic: string,
  options: TopicLogOptions = {},
): FullTopicLog {
  const { consumer, cluster } = openCluster(kafka);
  const readsCommitted = options.endsAtTransactions === true;
  const followed = new FollowedTopic(cluster, topic);
  /** False after a failure, because a broker may have another address. */
  let isCurrent = false;
  const noteFailure = (error: unknown): never => {
    isCurrent = false;
    throw error;
  };
  const offsetsOf = (asked: Iterable<number>, time: number): Promise<Offsets> =>
    listOffsets(cluster, asked, { topic, leaders: followed.leaders(), time, readsCommitted });
  const endsNow = (): Promise<Offsets> => offsetsOf(followed.leaders().keys(), latest);
  return {
    async refresh() {
      const wasCurrent = isCurrent;
      isCurrent = false;
      await consumer.connect();
      await cluster.addTargetTopic(topic);
      if (!wasCurrent) await cluster.refreshMetadata();
      await followed.look();
      isCurrent = true;
    },
    id: () => followed.states?.ids.get(topic),
    clusterId: () => followed.states?.clusterId,
    leaders: () => followed.leaders(),
    starts: (asked) => offsetsOf(asked, earliest).catch(noteFailure),
    async ends() {
      try {
        const [ends] = await Promise.all([endsNow(), followed.look()]);
        return followed.leaders().size === ends.size ? ends : await endsNow();
      } catch (error) {
        return noteFailure(error);
      }
    },
    async offsetsForTime(asked, epochMs) {
      const ends = await offsetsOf(asked, latest);
      const found = await offsetsOf(asked, epochMs);
      return new Map(
        [...found].map(([partition, offset]) => [partition, offset < 0 ? (ends.get(partition) ?? 0) : offset]),
      );
    },
    async fetch(leader, positions, waitMs) {
      try {
        const broker = await connectedBroker(cluster, leader);
        return await fetchFromLog(broker, topic, positions, { ...options, waitMs });
      } catch (error) {
        return noteFailure(error);
      }
    },
    async [Symbol.asyncDispose]() {
      // The disconnect waits for all requests, and brokers hold a fetch while there are no records.
      endFetches(cluster);
      await consumer.disconnect();
    },
  };
}

/** A topic as the brokers describe it. */
class FollowedTopic {
  readonly #cluster: Cluster;
  readonly #topic: string;
  /** The leaders by a state of kafkajs's metadata, which each refresh replaces as a whole. */
  #known: { readonly metadata: Metadata | null; readonly leaders: Leaders } | undefined;
  #answer: Buffer | undefined;
  /** As of the last look. Undefined if the brokers don't report ids. */
  states: ClusterStates | undefined;

  constructor(cluster: Cluster, topic: string) {
    this.#cluster = cluster;
    this.#topic = topic;
  }

  leaders(): Leaders {
    const { metadata } = this.#cluster.brokerPool;
    if (this.#known?.metadata !== metadata) this.#known = { metadata, leaders: leadersOf(this.#cluster, this.#topic) };
    return this.#known.leaders;
  }

  /** Asks the controller, and has kafkajs ask if its leaders differ. Rejects if the topic can't be read. */
  async look(): Promise<void> {
    const { metadata } = this.#cluster.brokerPool;
    const asked = metadata === null ? undefined : connectedBroker(this.#cluster, metadata.controllerId);
    const answer = await askForTopics(await (asked ?? this.#cluster.findControllerBroker()), [this.#topic]);
    if (answer === undefined || this.#answer?.equals(answer) !== true)
      this.states = answer && (await decodeTopicStates(answer));
    this.#answer = answer;
    if (!isSameMap(this.states?.leaders.get(this.#topic), this.leaders())) await this.#cluster.refreshMetadata();
  }
}

function isSameMap(one: ReadonlyMap<number, number> | undefined, other: ReadonlyMap<number, number>): boolean {
  return one?.size === other.size && [...one.keys()].every((key) => one.get(key) === other.get(key));
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
 * kafkajs, through which the log is read.
 */
function openCluster(kafka: Pick<Kafka, 'consumer'>): { consumer: ReturnType<Kafka['consumer']>; cluster: Cluster } {
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
  if (cluster === undefined || !isCluster(cluster)) throw new TypeError('kafkajs passed no cluster to the assignor');
  return { consumer, cluster };
}

/** Connects a cluster. It disconnects at the end of its scope. */
export async function connectCluster(kafka: Pick<Kafka, 'consumer'>): Promise<port.Cluster> {
  const { consumer, cluster } = openCluster(kafka);
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
      return listOffsets(cluster, partitions, { topic, leaders: leadersOf(cluster, topic), time: latest });
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
