import type { Consumer, ConsumerOptions, OffsetCommit } from './consumer.ts';
import type { FullTopicLog, Offsets, TopicLogOptions } from './topic-log.ts';
import type { Secret } from '../../lib/secret.ts';

/** All that the service asks of a client of Kafka. `kafkajs/` makes it of the library. An error has Kafka's name in its `type`. */
export interface Kafka {
  consumer(options: ConsumerOptions): Consumer;
  /** Opens the log of a topic. It reads committed records alone. */
  openLog(topic: string, options?: TopicLogOptions): FullTopicLog;
  producer(options: ProducerOptions): Producer;
  connectCluster(): Promise<Cluster>;
  admin(): Admin;
}

/** The brokers, asked without a group. */
export interface Cluster extends AsyncDisposable {
  /** Returns those of the topics that exist and that this client may see. Without names, returns all of the cluster. */
  listTopics(names?: readonly string[]): Promise<readonly string[]>;
  /** Returns the high watermarks. */
  fetchEnds(topic: string, partitions: readonly number[]): Promise<Offsets>;
  /** Commits for a group that has no members. Brokers refuse it for any other group. */
  commit(groupId: string, offsets: OffsetCommit): Promise<void>;
}

/** Times in ms. */
export interface ProducerOptions {
  readonly idempotent: false;
  readonly allowAutoTopicCreation: false;
  readonly createPartitioner: () => (choice: PartitionChoice) => number;
  readonly metadataMaxAge: number;
  readonly retry: { readonly retries: number; readonly initialRetryTime: number; readonly maxRetryTime: number };
}

export interface PartitionChoice {
  readonly message: { readonly partition?: number };
  readonly partitionMetadata: { readonly length: number };
}

export interface Producer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  send(batch: ProducerBatch): Promise<readonly Acknowledgement[]>;
}

export interface ProducerBatch {
  readonly topic: string;
  readonly acks: number;
  /** In ms. */
  readonly timeout: number;
  /** Kafka's code of a compression. */
  readonly compression: number;
  readonly messages: Message[];
}

export interface Message {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly partition: number;
  readonly headers: OutgoingHeaders;
  /** Epoch milliseconds in decimal digits. */
  readonly timestamp?: string;
}

/**
 * Headers of a record to be written. Texts stay strings until the record is encoded. A record waits for its batch to fill
 * before that, and a buffer for each header would take more memory.
 */
export type OutgoingHeaders = readonly (readonly [name: string, value: string | Buffer | null])[];

interface Acknowledgement {
  readonly topicName: string;
  readonly partition: number;
  readonly errorCode: number;
}

/** Offsets are decimal text. */
export interface Admin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  createTopics(creation: { readonly waitForLeaders: false; readonly topics: NewTopic[] }): Promise<boolean>;
  describeCluster(): Promise<{ readonly brokers: readonly unknown[] }>;
  describeConfigs(asked: {
    readonly resources: { readonly type: number; readonly name: string; readonly configNames: string[] }[];
    readonly includeSynonyms: false;
  }): Promise<{ readonly resources: readonly DescribedResource[] }>;
  fetchTopicMetadata(asked: { readonly topics: string[] }): Promise<{ readonly topics: readonly DescribedTopic[] }>;
  fetchTopicOffsets(topic: string): Promise<readonly (PartitionOffset & { low: string; high: string })[]>;
  fetchTopicOffsetsByTimestamp(topic: string, timestamp: number): Promise<readonly PartitionOffset[]>;
  fetchOffsets(asked: { readonly groupId: string; readonly topics: string[] }): Promise<readonly CommittedOffsets[]>;
}

interface NewTopic {
  readonly topic: string;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  readonly configEntries: { readonly name: string; readonly value: string }[];
}

interface DescribedResource {
  readonly resourceName: string;
  readonly configEntries: readonly { readonly configName: string; readonly configValue: string }[];
}

export interface DescribedTopic {
  readonly name: string;
  readonly partitions: readonly { readonly leader: number; readonly replicas: readonly number[] }[];
}

interface PartitionOffset {
  readonly partition: number;
  readonly offset: string;
}

interface CommittedOffsets {
  readonly topic: string;
  readonly partitions: readonly (PartitionOffset & { readonly metadata: string | null })[];
}

export interface Tokens {
  /** Rejects if there is no valid one. */
  token(): Promise<Secret>;
  refused(token: Secret): void;
}

export interface KafkaLogEntry {
  readonly level: 'debug' | 'warn';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Decides the timeouts and retries of a client. */
export type KafkaPurpose = 'reading' | 'writing' | 'admin';

export interface KafkaOptions {
  readonly purpose: KafkaPurpose;
  /** `host:port` each, with an IPv6 address in brackets. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Called for each connection, so renewed files are used from the next one on. Undefined for connections in clear. */
  readonly tls?: (() => KafkaTls) | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Receives the log of the client. Our own events cover everything that an operator must know. */
  readonly log: (entry: KafkaLogEntry) => void;
}

/** PEM texts. */
export interface KafkaTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export type KafkaSasl = KafkaPassword | KafkaOAuth;

interface KafkaOAuth {
  readonly mechanism: 'oauthbearer';
  /** Asked for each authentication. All clients should share them. */
  readonly tokens: Tokens;
}

export interface KafkaPassword {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  /** Called for each authentication, so a rotated password is used from the next one on. */
  readonly password: () => Secret;
}
