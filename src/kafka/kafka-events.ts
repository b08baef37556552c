/** What the Kafka side tells: each is one business event, at most one log line and the metrics that go with it. */
export interface KafkaEvents {
  /** The consumer joined its group and got these partitions by topic. */
  consumerJoined(joined: {
    readonly groupId: string;
    readonly assignment: Readonly<Record<string, readonly number[]>>;
  }): void;
  /** `restarting`: the client comes back by itself. Otherwise the supervisor builds a new one. */
  consumerCrashed(crash: { readonly groupId: string; readonly error: unknown; readonly restarting: boolean }): void;
  /** Kafka can't be reached, or refuses us; it is tried again after `retryInMs`. */
  kafkaUnreachable(failure: { readonly doing: string; readonly error: unknown; readonly retryInMs: number }): void;
  /** Passwords, certificates or keys were replaced in their files: new connections use them. */
  credentialsReloaded(): void;
  /** What the files hold now can't be used: what they held before stays in use. */
  credentialsReloadFailed(failure: { readonly reason: string }): void;
  commitFailed(failure: { readonly groupId: string; readonly error: unknown }): void;
  /** Retention overtook the commit: the records from `from` up to `to` were never read. */
  offsetReset(reset: {
    readonly topic: string;
    readonly partition: number;
    readonly from: number;
    readonly to: number;
  }): void;
  /** What the partition has from this offset on can't be decoded: it waits, and is tried again after `retryInMs`. */
  partitionUnreadable(unreadable: {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
    readonly error: unknown;
    readonly retryInMs: number;
  }): void;
  /** A topic was deleted: these of its partitions are not read until it is there again. */
  topicGone(gone: { readonly topic: string; readonly partitions: readonly number[] }): void;
  /** A topic was deleted and made anew: these of its partitions are read from their first record. */
  topicRecreated(remade: { readonly topic: string; readonly partitions: readonly number[] }): void;
  /** Topics that are to be there and are not; an empty list once all are. */
  topicsMissing(topics: readonly string[]): void;
  /** Written and acknowledged; `tier` is the delay as the topic name has it, e.g. `10m`. */
  retryScheduled(scheduled: { readonly tier: string; readonly records: number }): void;
  deadLetterWritten(written: { readonly reason: string }): void;
  handoffFailed(failure: {
    readonly kind: 'retry' | 'dead_letter';
    readonly topic: string;
    readonly error: unknown;
    readonly retryInMs: number;
  }): void;
}
