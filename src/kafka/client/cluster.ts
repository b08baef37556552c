import type { Cluster as PublicCluster, Kafka } from 'kafkajs';
import type { Cluster } from '../kafkajs/internals.ts';

/**
 * Creates a consumer that never runs, and so joins no group. Its partition assignor is the only way to the `Cluster` inside of
 * kafkajs, through which the log is read. With `readUncommitted`, the end of a partition is its high watermark.
 */
export function openCluster(
  kafka: Kafka,
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
export async function connectCluster(kafka: Kafka, readUncommitted = false): Promise<Cluster & AsyncDisposable> {
  const { consumer, cluster } = openCluster(kafka, readUncommitted);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => consumer.disconnect());
  await consumer.connect();
  const owned = opened.move();
  return Object.assign(cluster, { [Symbol.asyncDispose]: () => owned.disposeAsync() });
}

function isCluster(cluster: PublicCluster): cluster is Cluster {
  return 'brokerPool' in cluster;
}

const noProtocol = { name: 'none', metadata: Buffer.alloc(0) };
