import type { Kafka } from 'kafkajs';
import type { FullTopicLog, Offsets, TopicLogOptions } from '../client/topic-log.ts';
import { openCluster, listOffsets } from './cluster.ts';
import { LogFetch } from './log-fetch.ts';
import { endFetches } from './repairs/fetch-after-stop.ts';
import { fetchTopicStates } from './topic-states.ts';

/** Opens the log of a topic. It reads committed records alone. */
export function openTopicLog(
  kafka: Pick<Kafka, 'consumer'>,
  topic: string,
  options: TopicLogOptions = {},
): FullTopicLog {
  const { consumer, cluster } = openCluster(kafka, options.endsAtTransactions !== true);
  const logFetch = new LogFetch(topic, options);
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
