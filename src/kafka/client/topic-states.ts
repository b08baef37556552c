/** Ids by topic. Topics that the broker does not know, or does not describe to us, are missing. */
export type TopicIds = ReadonlyMap<string, string>;

/** The answer of one broker about topics. */
export interface TopicStates {
  /** Undefined if the cluster has no id. */
  readonly clusterId: string | undefined;
  /** They differ between topics that had the same name. */
  readonly ids: TopicIds;
  /** Topics that this client may not read. */
  readonly denied: readonly string[];
  /** The leading brokers of the known topics, by partition. A partition without a leader has -1. */
  readonly leaders: ReadonlyMap<string, ReadonlyMap<number, number>>;
}
