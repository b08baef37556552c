import type { Assigner, Cluster, ConsumerConfig } from 'kafkajs';
import type { MemoryBroker } from './memory-broker.ts';

export interface AssignerOf {
  readonly cluster: Cluster;
  readonly assigner: Assigner;
}

/** The consumer's assigner, with as much of a cluster as one asks. */
export function createAssignerFor(broker: MemoryBroker, { groupId, partitionAssigners }: ConsumerConfig): AssignerOf {
  const [createAssigner] = partitionAssigners ?? [];
  if (createAssigner === undefined) throw new TypeError('a consumer of the memory broker needs an assigner');
  const cluster = {
    addTargetTopic: async (topic) => void broker.partitions(topic),
    findTopicPartitionMetadata: (topic) =>
      broker.partitions(topic).map(({ partition }) => ({
        partitionId: partition,
        leader: 0,
        partitionErrorCode: 0,
        replicas: [0],
        isr: [0],
      })),
  } satisfies Partial<Cluster> as Pick<Cluster, 'addTargetTopic' | 'findTopicPartitionMetadata'> as Cluster;
  const logger = undefined as never;
  return { cluster, assigner: createAssigner({ cluster, groupId, logger }) };
}
