import type { Broker as PublicBroker, Cluster as PublicCluster, IHeaders, TopicPartitions } from 'kafkajs';

// What the repairs rely on of kafkajs 2.2.4's inside, which has no types of its own. load.ts checks that it is there.

/** A socket to a broker, opened by the first request that needs it. */
export interface Connection {
  /** How long before its session ends a request authenticates first. */
  reauthenticationThreshold: number;
  connect: (this: Connection) => Promise<boolean>;
}

/** The requests of one connection that are out or wait to go out. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Epoch milliseconds; -1 when the broker has never throttled us. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly checkPendingRequests: (this: RequestQueue) => void;
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

/** One kind of request in one version, and how its response is read. */
interface Exchange<Decoded, Answer> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    readonly encode: () => Promise<Encoder>;
  };
  readonly response: {
    readonly decode: (payload: Buffer) => Promise<Decoded>;
    readonly parse: (decoded: Decoded) => Promise<Answer>;
  };
}

export interface Broker extends PublicBroker {
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    send<Decoded, Answer>(exchange: Exchange<Decoded, Answer>): Promise<Answer>;
  };
  /** What it speaks, by the key of the request; null until it is connected. */
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>> | null;
  findGroupCoordinator(group: {
    readonly groupId: string;
    readonly coordinatorType: number;
  }): Promise<{ readonly coordinator: { readonly nodeId: number } }>;
}

export interface Cluster extends PublicCluster {
  findControllerBroker(): Promise<Broker>;
  readonly brokerPool: {
    readonly brokers: Readonly<Record<string, Broker>>;
    /** Epoch milliseconds; null when it has been thrown away. */
    readonly metadataExpireAt: number | null;
    /** Any that is connected, or else any that can be connected to. */
    findConnectedBroker(): Promise<Broker>;
  };
}

/** Offsets by topic and partition, decimal text. */
type OffsetTable = Record<string, Record<number, string> | undefined>;

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Where one generation of a consumer stands: made anew by each join. */
export interface OffsetManager {
  readonly cluster: Cluster;
  readonly resolvedOffsets: OffsetTable;
  coordinator: PublicBroker;
  readonly nextOffset: (this: OffsetManager, topic: string, partition: number) => { toString(): string };
  readonly committedOffsets: (this: OffsetManager) => OffsetTable;
  setDefaultOffset: (this: OffsetManager, where: TopicPartition) => Promise<void>;
}

interface PartitionCommit {
  readonly partition: number;
  readonly offset: string;
  readonly metadata?: string | null;
}

/** What one OffsetCommit request says. */
export interface OffsetCommit {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly PartitionCommit[] }[];
}

export interface ConsumerGroup {
  readonly cluster: Cluster;
  readonly groupId: string;
  /** Null before the first join, and once the group has dropped us. */
  readonly memberId: string | null;
  readonly generationId: number | null;
  readonly sessionTimeout: number;
  /** Milliseconds for which a broker holds back the answer to a fetch while there is nothing new. */
  maxWaitTime: number;
  readonly seekOffset: { readonly size: number };
  readonly subscriptionState: { paused(): TopicPartitions[]; active(): TopicPartitions[] };
  coordinator: PublicBroker | null;
  readonly offsetManager: OffsetManager | null;
  joinAndSync: (this: ConsumerGroup) => Promise<void>;
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly Batch[]>;
  heartbeat: (this: ConsumerGroup, options: { interval: number }) => Promise<void>;
  commitOffsets: (this: ConsumerGroup, offsets: OffsetCommit) => Promise<void>;
  pause: (this: ConsumerGroup, topicPartitions: readonly TopicPartitions[]) => void;
  resume: (this: ConsumerGroup, topicPartitions: readonly TopicPartitions[]) => void;
}

export interface Runner {
  readonly consumerGroup: ConsumerGroup;
  readonly running: boolean;
  fetch: (this: Runner, nodeId: string) => Promise<readonly Batch[]>;
  handleBatch: (this: Runner, batch: Batch) => Promise<void>;
  stop: (this: Runner) => Promise<void>;
}

/** A record as the decoder made it. Its buffers are slices of the whole response. */
export interface RawRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: IHeaders;
  readonly isControlRecord: boolean;
}

/** One partition of a Fetch response. */
export interface PartitionData {
  readonly partition: number;
  readonly lastStableOffset: string;
  readonly messages: readonly RawRecord[];
}

/** One partition's records without those that control a transaction or belong to an aborted one. */
export interface Batch extends TopicPartition {
  readonly fetchedOffset: string;
  /** All of the response, in the array that the decoder made. */
  readonly rawMessages: readonly RawRecord[];
  readonly messages: readonly RawRecord[];
}

export interface Encoder {
  writeBoolean(value: boolean): Encoder;
  writeBuffer(value: Buffer): Encoder;
  writeUVarInt(value: number): Encoder;
  writeUVarIntString(value: string): Encoder;
  writeUVarIntArray(items: readonly Encoder[]): Encoder;
}

/** What kafkajs has for integers of 64 bits. */
interface Int64 {
  readonly value: bigint;
}

export interface Decoder {
  readBoolean(): boolean;
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readBytes(count: number): Buffer;
  readVarInt(): number;
  readVarLong(): Int64;
  readVarIntBytes(): Buffer | null;
  readVarIntString(): string | null;
  readUVarIntString(): string | null;
  readUVarIntArray<Item>(read: (decoder: Decoder) => Item): readonly Item[] | null;
  readTaggedFields(): unknown;
  canReadBytes(count: number): boolean;
}

interface RecordBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly RawRecord[];
}

export interface KafkajsInternals {
  readonly connection: Connection;
  readonly requestQueue: RequestQueue;
  readonly consumerGroup: ConsumerGroup;
  readonly runner: Runner;
  readonly offsetManager: OffsetManager;
  readonly Batch: new (topic: string, fetchedOffset: string, data: PartitionData) => Batch;
  readonly Encoder: new () => Encoder;
  readonly Decoder: new (buffer: Buffer) => Decoder;
  readonly decodeRecordBatch: (decoder: Decoder) => Promise<RecordBatch>;
  readonly decodeMessageSet: (decoder: Decoder, bytes: number) => Promise<readonly RawRecord[]>;
}
