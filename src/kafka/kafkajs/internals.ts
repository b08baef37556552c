import type { Socket } from 'node:net';
import type { Broker as PublicBroker, Cluster as PublicCluster, TopicPartitions } from 'kafkajs';
import type { FetchedBatch, OffsetCommit, TopicPartition } from '../client/consumer.ts';
import type { FullRecord, LogFetchOptions } from '../client/topic-log.ts';

// Types of the internals of kafkajs 2.2.4 that the repairs use. The library does not publish them. load.ts checks that
// they exist.

/** A socket to a broker, opened by the first request that needs it. */
export interface Connection {
  readonly requestQueue: RequestQueue;
  /** Undefined until the first attempt to connect. Each attempt replaces it. */
  readonly socket?: Socket;
  /** The parts of an answer that has not arrived as a whole, their length, and the length to wait for. */
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  readonly isConnected: () => boolean;
  /** A request sent within this many milliseconds of the session's end authenticates first. */
  reauthenticationThreshold: number;
  /** In ms. */
  readonly requestTimeout: number;
  readonly clientId: string;
  /** Null without a login. */
  readonly sasl: object | null;
  connect: (this: Connection) => Promise<boolean>;
  readonly isAuthenticated: () => boolean;
  authenticate(): Promise<void>;
  failIfNotConnected(): void;
  nextCorrelationId(): number;
  /** Sends a part of a login without a header, to a broker older than `SaslAuthenticate`. Resolves to its answer. */
  sendAuthRequest: (this: Connection, token: object) => Promise<unknown>;
}

/** A SASL mechanism that needs something before it can begin, such as a token. */
export interface PreparedMechanism {
  /** Called before the broker is told that a login begins. Its rejection fails the request that needed the login. */
  prepare(): Promise<unknown>;
}

export interface SaslAuthenticator {
  /** `sasl` is the object of the client's configuration, unchanged. */
  readonly connection: { readonly sasl: object | PreparedMechanism };
  authenticate: (this: SaslAuthenticator) => Promise<void>;
}

export interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<number, SentRequest>;
  /** A monotonic time, once repaired; -1 when the broker has never throttled us. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly checkPendingRequests: (this: RequestQueue) => void;
  push(request: object): void;
  maybeThrottle: (ms: number) => void;
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
  readonly isConnected: () => boolean;
  /** Called when the connection is opened. */
  scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
  /** Rejects the requests that are not answered. */
  rejectAll(error: Error): void;
  /** Called when the connection is closed. */
  destroy: (this: RequestQueue) => void;
}

interface SentRequest {
  /** A monotonic time, once repaired. */
  readonly sentAt: number;
  /** In ms. */
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** One partition of a Fetch request. */
export interface AskedPartition extends TopicPartition {
  fetchOffset: number;
  readonly maxBytes: number;
}

/** A Fetch request, for committed records. */
export interface FetchRequest extends Pick<LogFetchOptions, 'headers'> {
  /** Time in ms for which the broker may wait for `minBytes`. */
  readonly maxWaitTime: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  /** True if partitions without records are wanted, too. */
  readonly includesEmpty: boolean;
  /** At least one. */
  readonly partitions: readonly AskedPartition[];
}

export interface Broker extends PublicBroker {
  /** Not of kafkajs: `fetchWithinBudget` adds it. */
  fetchRecords(request: FetchRequest): Promise<readonly PartitionData[]>;
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    /** One connection for fetches, after the one for all other requests. */
    readonly pool: readonly [Connection, Connection];
  };
  /** The broker's API versions by API key. Null until the broker is connected. */
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>> | null;
  findGroupCoordinator(group: {
    readonly groupId: string;
    readonly coordinatorType: number;
  }): Promise<{ readonly coordinator: { readonly nodeId: number } }>;
}

export interface Metadata {
  readonly controllerId: number;
}

export interface Cluster extends PublicCluster {
  findControllerBroker(): Promise<Broker>;
  findBroker(wanted: { readonly nodeId: string }): Promise<Broker>;
  readonly brokerPool: {
    readonly brokers: Readonly<Record<string, Broker>>;
    /** Replaced as a whole by each refresh. */
    readonly metadata: Metadata | null;
    /** A monotonic time, once repaired. Null after the metadata were discarded. */
    readonly metadataExpireAt: number | null;
    /** Returns any connected broker, else connects to one. */
    findConnectedBroker(): Promise<Broker>;
  };
}

/** Offsets by topic and partition, decimal text. */
type OffsetTable = Record<string, Record<number, string> | undefined>;

/** The positions of one generation of a consumer. Each join creates a new one. */
export interface OffsetManager {
  readonly cluster: Cluster;
  readonly resolvedOffsets: OffsetTable;
  coordinator: PublicBroker;
  readonly nextOffset: (this: OffsetManager, topic: string, partition: number) => { toString(): string };
  readonly committedOffsets: (this: OffsetManager) => OffsetTable;
  setDefaultOffset: (this: OffsetManager, where: TopicPartition) => Promise<void>;
}

export interface ConsumerGroup {
  readonly cluster: Cluster;
  readonly groupId: string;
  /** Null before the first join, and after the group has removed this member. */
  readonly memberId: string | null;
  readonly generationId: number | null;
  readonly sessionTimeout: number;
  /** Milliseconds that a broker may hold a fetch without new records before it answers. */
  readonly maxWaitTime: number;
  /** Bytes of records that end that wait. */
  readonly minBytes: number;
  /** The monotonic time of the last accepted heartbeat, once repaired. */
  readonly lastRequest: number;
  readonly seekOffset: { readonly size: number; has(topic: string, partition: number): boolean };
  readonly subscriptionState: {
    assigned(): TopicPartitions[];
    paused(): TopicPartitions[];
    active(): TopicPartitions[];
    isPaused(topic: string, partition: number): boolean;
  };
  coordinator: PublicBroker | null;
  readonly offsetManager: OffsetManager | null;
  joinAndSync: (this: ConsumerGroup) => Promise<void>;
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly FetchedBatch[]>;
  /** Handles an error of a fetch, or throws it. */
  recoverFromFetch(error: unknown): Promise<void>;
  /** Throws if a topic has other partitions than at the last join. */
  checkForStaleAssignment(): void;
  /** Returns the partitions that are to be read from this broker. */
  filterPartitionsByNode(nodeId: string, assigned: readonly TopicPartitions[]): readonly TopicPartitions[];
  /** Carries out the seeks in these partitions, and looks up committed offsets that are not known. */
  seekOffsets(partitions: readonly TopicPartitions[]): Promise<void>;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
  readonly metadataMaxAge: number;
  readonly preferredReadReplicasPerTopicPartition: Record<string, Record<number, PreferredReplica>>;
  heartbeat: (this: ConsumerGroup, options: { interval: number }) => Promise<void>;
  commitOffsets: (this: ConsumerGroup, offsets: OffsetCommit) => Promise<void>;
  /** Sets the position to the offset after this one. */
  readonly resolveOffset: (this: ConsumerGroup, resolved: TopicPartition & { readonly offset: string }) => void;
  pause: (this: ConsumerGroup, topicPartitions: readonly TopicPartitions[]) => void;
  resume: (this: ConsumerGroup, topicPartitions: readonly TopicPartitions[]) => void;
}

interface PreferredReplica {
  readonly nodeId: number;
  /** A monotonic time, once repaired. */
  readonly expireAt: number;
}

export interface Runner {
  readonly consumerGroup: ConsumerGroup;
  /** In ms. */
  readonly heartbeatInterval: number;
  heartbeat: (this: Runner) => Promise<void>;
  readonly running: boolean;
  fetch: (this: Runner, nodeId: string) => Promise<readonly FetchedBatch[]>;
  stop: (this: Runner) => Promise<void>;
}

/** The fields of a record's batch that say which transaction it belongs to. */
export interface BatchContext {
  /** Decimal text; -1 without a producer id. */
  readonly producerId: string;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
}

/** A record as decoded. Its buffers are slices of the whole response. */
export interface RawRecord extends FullRecord {
  readonly isControlRecord: boolean;
  /** Missing in message formats before record batches. */
  readonly batchContext?: BatchContext;
}

/** A transaction whose end is at or after the fetched offset. It may have begun before. Its id is decimal text. */
export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: number;
}

/** One partition of a Fetch response. */
export interface PartitionData {
  readonly asked: AskedPartition;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** The broker to read from instead. -1 for this one. */
  readonly preferredReadReplica: number;
  /** The records as they came. */
  readonly bytes: Buffer;
  /** Records and placeholders, which are control records. */
  readonly messages: RawRecord[];
  /** The reason why the first record can't be decoded. */
  unreadable: Error | undefined;
}

interface Int64 {
  readonly value: bigint;
}

export interface Decoder {
  readonly buffer: Buffer;
  /** The position of the next byte. */
  offset: number;
  readBoolean(): boolean;
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readString(): string;
  readBytes(count: number): Buffer;
  readVarInt(): number;
  readVarLong(): Int64;
  readVarIntBytes(): Buffer | null;
  readVarIntString(): string | null;
  readUVarInt(): number;
  readUVarIntString(): string | null;
  readUVarIntArray<Item>(read: (decoder: Decoder) => Item): readonly Item[] | null;
  readTaggedFields(): unknown;
  canReadBytes(count: number): boolean;
}

interface Codec {
  readonly decompress: (compressed: Buffer) => Promise<Buffer>;
}

export interface KafkajsInternals {
  readonly connection: Connection;
  readonly saslAuthenticator: SaslAuthenticator;
  readonly requestQueue: RequestQueue;
  readonly consumerGroup: ConsumerGroup;
  readonly runner: Runner;
  readonly offsetManager: OffsetManager;
  readonly broker: Broker;
  /** Throws the error of the first partition that has one. */
  readonly parseFetch: (answer: { readonly responses: readonly object[] }) => Promise<unknown>;
  readonly Decoder: new (buffer: Buffer) => Decoder;
  readonly lookupCodec: (attributes: number) => Codec | null;
  readonly decodeMessageSet: (decoder: Decoder, bytes: number) => Promise<readonly RawRecord[]>;
}
