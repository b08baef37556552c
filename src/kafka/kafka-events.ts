/** The business events of the Kafka side. Each is at most one log line, and the metrics that belong to it. */
export interface KafkaEvents {
  /** The consumer joined its group and got these partitions by topic. */
  consumerJoined(joined: {
    readonly groupId: string;
    readonly assignment: Readonly<Record<string, readonly number[]>>;
  }): void;
  /** `restarting`: the client restarts by itself. Otherwise the supervisor creates a new consumer. */
  consumerCrashed(crash: { readonly groupId: string; readonly error: unknown; readonly restarting: boolean }): void;
  /** Kafka can't be reached, or refuses us. The next try is after `retryInMs`. */
  kafkaUnreachable(failure: { readonly doing: string; readonly error: unknown; readonly retryInMs: number }): void;
  /** Passwords, certificates or keys were replaced in their files. New connections use them. */
  credentialsReloaded(): void;
  /** The files now hold something unusable. The earlier credentials stay in use. */
  credentialsReloadFailed(failure: { readonly reason: string }): void;
  commitFailed(failure: { readonly groupId: string; readonly error: unknown }): void;
  /** Retention overtook the commit. Of a new log, the number of unread records of the old one is unknown. */
  offsetReset(reset: {
    readonly topic: string;
    readonly partition: number;
    readonly from: number;
    readonly to: number;
    readonly lostRecords: number | undefined;
  }): void;
  /** The group has no commit in any of its topics. So many records of this partition are read, although they may have been before. */
  commitMissing(missing: { readonly topic: string; readonly partition: number; readonly repeated: number }): void;
  /** The records from this offset on can't be decoded. The partition waits, and is tried again after `retryInMs`. */
  partitionUnreadable(unreadable: {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
    readonly error: unknown;
    readonly retryInMs: number;
  }): void;
  /** A topic was deleted. These of its partitions are not read until it exists again. */
  topicGone(gone: { readonly topic: string; readonly partitions: readonly number[] }): void;
  /** The brokers do not let us read a topic. These of its partitions are not read until they do. */
  topicDenied(denied: { readonly topic: string; readonly partitions: readonly number[] }): void;
  /** A topic was deleted and created again. These of its partitions are read from their first record. */
  topicRecreated(recreated: { readonly topic: string; readonly partitions: readonly number[] }): void;
  /** Required topics that do not exist. The list is empty once all do. */
  topicsMissing(topics: readonly string[]): void;
  /** Records were written to a tier and acknowledged. `tier` is the delay as in the topic's name, e.g. `10m`. */
  retryScheduled(scheduled: { readonly tier: string; readonly records: number }): void;
  deadLetterWritten(written: { readonly reason: string }): void;
  handoffFailed(failure: {
    readonly kind: 'retry' | 'dead_letter' | 'result';
    readonly topic: string;
    readonly error: unknown;
    readonly retryInMs: number;
  }): void;
}

export interface TokenEvents {
  /** A new token for Kafka is in use. `recovered`: the request before it failed. */
  tokenFetched(fetched: { readonly endpoint: string; readonly lifeMs: number; readonly recovered: boolean }): void;
  /** The token endpoint gave no token. `reason` is its predicate. The last token is valid for `validForMs` more. */
  tokenFailed(failure: { readonly endpoint: string; readonly reason: string; readonly validForMs: number }): void;
}

export interface ConfigurationsTopicEvents {
  /** Plans wait, because the topic was created again or truncated, and may lack some. The last complete state stays in use. */
  configurationsHeld(held: RefillCount): void;
  /** The topic was held, and now counts as complete. */
  configurationsReplaced(replaced: RefillCount): void;
  /** Configurations were found in two partitions of the topic. `ids` are the first of them. */
  configurationsDuplicated(duplicated: {
    readonly topic: string;
    readonly configurations: number;
    readonly ids: readonly string[];
  }): void;
}

interface RefillCount {
  readonly topic: string;
  /** Configurations that are there again or removed. Without `expected`, all that are there. */
  readonly found: number;
  /** The number in the last complete state. Undefined in a process that started since. */
  readonly expected: number | undefined;
}
