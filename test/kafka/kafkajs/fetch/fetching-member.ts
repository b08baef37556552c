import type { FetchedBatch } from '../../../../src/kafka/client/consumer.ts';
import { fetchForGroup } from '../../../../src/kafka/kafkajs/fetch/group-fetch.ts';
import { createGroupStates, type GroupState } from '../../../../src/kafka/kafkajs/group-state.ts';
import type {
  Broker,
  ConsumerGroup,
  FetchRequest,
  OffsetManager,
  PartitionData,
  RawRecord,
  Runner,
} from '../../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { noConnectedBroker, scriptedCluster, scriptedGroup, scriptedRunner } from '../scripted.ts';

export const heartbeatMs = 2000;
const topic = 't';
const all = [0, 1];

/** A member with partition 0 of a topic on broker 1, and partition 1 on broker 2. Another broker leads none. */
export class FetchingMember {
  readonly clock = new ManualClock();
  readonly group: ConsumerGroup;
  readonly runner: Runner;
  readonly state: GroupState;
  /** The requests that the brokers got, with the offsets of that time. */
  readonly requests: FetchRequest[] = [];
  readonly taken: FetchedBatch[] = [];
  readonly resolved: unknown[] = [];
  readonly unreadable: unknown[] = [];
  offsetManager = anOffsetManager();
  /** Offsets to seek, by partition. */
  readonly seeks = new Map<number, string>();
  metadataExpireAt: number | null = Number.POSITIVE_INFINITY;
  heartbeatAt = 0;
  heartbeats = 0;
  plans = 0;
  answer: (request: FetchRequest, nodeId: string) => Promise<readonly PartitionData[]> = async () => [];
  takeBatch = (batch: FetchedBatch): string | undefined => batch.lastOffset();
  heartbeat = async (): Promise<void> => undefined;
  recover = async (error: unknown): Promise<void> => {
    throw error;
  };

  constructor() {
    const paused = new Set<number>();
    const { seeks } = this;
    const cluster = scriptedCluster(
      {
        refreshMetadataIfNecessary: async () => {
          this.plans += 1;
        },
        findBroker: async ({ nodeId }) => this.#broker(nodeId),
        brokerPool: withGetters(
          {
            brokers: { 1: this.#broker('1') },
            metadata: { controllerId: 1 },
            metadataExpireAt: null,
            findConnectedBroker: noConnectedBroker,
          },
          {
            metadataExpireAt: () => this.metadataExpireAt,
          },
        ),
      },
      {
        beforeRejoin: () => Promise.resolve(),
        offsetReset: () => undefined,
        unreadable: (found) => void this.unreadable.push(found),
        takeBatch: (batch) => {
          this.taken.push(batch);
          return this.takeBatch(batch);
        },
      },
    );
    const script = {
      cluster,
      maxBytes: 1,
      maxBytesPerPartition: 1,
      metadataMaxAge: 30_000,
      preferredReadReplicasPerTopicPartition: {},
      seekOffset: withGetters(
        { size: 0, has: (_: string, partition: number) => seeks.has(partition) },
        { size: () => seeks.size },
      ),
      subscriptionState: {
        assigned: () => [{ topic, partitions: [...all] }],
        active: () => [],
        paused: () => (paused.size > 0 ? [{ topic, partitions: [...paused] }] : []),
        isPaused: (_: string, partition: number) => paused.has(partition),
      },
      checkForStaleAssignment: () => undefined,
      filterPartitionsByNode: (nodeId: string) => [
        { topic, partitions: all.filter((partition) => String(partition + 1) === nodeId) },
      ],
      seekOffsets: async () => {
        for (const [partition, offset] of seeks)
          Object.assign(this.offsetManager.resolvedOffsets[topic] ?? {}, { [partition]: offset });
        seeks.clear();
      },
      pause: ([asked]: Parameters<ConsumerGroup['pause']>[0]) => asked?.partitions.forEach((one) => paused.add(one)),
      resume: ([asked]: Parameters<ConsumerGroup['resume']>[0]) =>
        asked?.partitions.forEach((one) => paused.delete(one)),
      heartbeat: () => this.heartbeat(),
      recoverFromFetch: (error: unknown) => this.recover(error),
      resolveOffset: (offset: unknown) => void this.resolved.push(offset),
    };
    this.group = withGetters(scriptedGroup(script), {
      lastRequest: () => this.heartbeatAt,
      offsetManager: () => this.offsetManager,
    });
    const heartbeat = async (): Promise<void> => {
      this.heartbeats += 1;
      this.heartbeatAt = this.clock.monotonic();
    };
    this.runner = scriptedRunner(this.group, { heartbeatInterval: heartbeatMs, heartbeat });
    const stateOf = createGroupStates();
    fetchForGroup({ consumerGroup: this.group, runner: this.runner }, stateOf, this.clock);
    this.state = stateOf(this.group);
  }

  pause(...partitions: readonly number[]): void {
    this.group.pause([{ topic, partitions: [...partitions] }]);
  }

  resume(...partitions: readonly number[]): void {
    this.group.resume([{ topic, partitions: [...partitions] }]);
  }

  #broker(nodeId: string): Broker {
    return Object.assign(Object.create(null), {
      isConnected: () => true,
      fetchRecords: (request: FetchRequest) => {
        this.requests.push({ ...request, partitions: request.partitions.map((one) => ({ ...one })) });
        return this.answer(request, nodeId);
      },
    });
  }
}

/** Begins at offset 0 of both partitions. */
export function anOffsetManager(): OffsetManager {
  const committed = { [topic]: { 0: '0', 1: '0' } };
  return Object.assign(Object.create(null), { committedOffsets: () => committed, resolvedOffsets: { [topic]: {} } });
}

/** Returns the answer for partition 0, with these records. */
export function dataOf(messages: RawRecord[] = [aRecord(0)], fetchOffset = 0): PartitionData {
  const offsets = { highWatermark: 1, lastStableOffset: 1 };
  const asked = { topic, partition: 0, fetchOffset, maxBytes: 1 };
  const found = { messages, bytes: Buffer.alloc(0), unreadable: undefined };
  return { asked, ...offsets, abortedTransactions: [], preferredReadReplica: -1, ...found };
}

export function aRecord(offset: number, isControlRecord = false): RawRecord {
  return { offset: String(offset), timestamp: '0', key: null, value: null, isControlRecord };
}

function withGetters<T extends object>(target: T, getters: Readonly<Record<string, () => unknown>>): T {
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(target, name, { get, enumerable: true });
  return target;
}
