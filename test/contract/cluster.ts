import type { Kafka } from '../../src/kafka/client/kafka.ts';
import type { TopicLog } from '../../src/kafka/client/topic-log.ts';

/** A cluster under test: a real one, or the one in memory. */
export interface Cluster extends AsyncDisposable {
  /** Returns a client like that of one process of the service. */
  client(): Kafka;
  /** Resolves with the name of the new topic. */
  createTopic(options?: { readonly partitions?: number; readonly maxRecordBytes?: number }): Promise<string>;
  /** Returns an unused name for a group. */
  uniqueGroup(): string;
  openLog(topic: string): TopicLog;
  /** Appends offsets without readable records. Resolves with the offset after them. */
  appendUnreadable(topic: string): Promise<number>;
  deleteRecords(topic: string, before: number): Promise<void>;
  /** Resolves with the group's committed offset in the first partition. */
  committed(
    groupId: string,
    topic: string,
  ): Promise<{ readonly offset: number; readonly metadata: string } | undefined>;
  /** Drops a member from the group, as after a session timeout. */
  dropMember(groupId: string, memberId: string): Promise<void>;
}
