import type { Kafka } from 'kafkajs';
import type { TopicLog } from '../../src/kafka/reader/topic-log.ts';

/** A cluster that the contract is held against: a real one, or the one in memory. */
export interface Cluster extends AsyncDisposable {
  /** A client as each process of the service has one. */
  client(): Kafka;
  /** Resolves to its name. */
  createTopic(options?: { readonly partitions?: number; readonly maxRecordBytes?: number }): Promise<string>;
  /** A name for a group that nobody else uses. */
  uniqueGroup(): string;
  openLog(topic: string): TopicLog;
  /** Offsets that no reader gets records for. Resolves to the one after them. */
  appendUnreadable(topic: string): Promise<number>;
  deleteRecords(topic: string, before: number): Promise<void>;
  /** What the group has committed in the first partition. */
  committed(
    groupId: string,
    topic: string,
  ): Promise<{ readonly offset: number; readonly metadata: string } | undefined>;
  /** The group drops the member, as it does with one that it has not heard of for a session. */
  dropMember(groupId: string, memberId: string): Promise<void>;
}
