import type { Cluster as PublicCluster, Kafka } from 'kafkajs';
import type * as port from '../client/kafka.ts';
import type { Offsets } from '../client/topic-log.ts';
import { partitionKey } from '../client/consumer.ts';
import type { Cluster } from './internals.ts';
import { fetchTopicStates } from './topic-states.ts';

/**
 * Creates a consumer that never runs, and so joins no group. Its partition assignor is the only way to the `Cluster` inside of
 * kafkajs, through which the log is read. With `readUncommitted`, the end of a partition is its high watermark.
 */
export function openCluster(
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
