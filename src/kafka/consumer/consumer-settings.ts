import type { ConsumerOptions } from '../client/consumer.ts';

export const consumerSettings = {
  // In ms. The group waits at least this long for members to rejoin.
  rebalanceTimeout: 20_000,
  // In ms. Bounds the delay of resuming, and of records while there are fewer than `minBytes`. A fetch waits longer while
  // nothing is paused and no records come: see `limitsOf`.
  maxWaitTimeInMs: 250,
  // A batch is decoded in one turn of the event loop, so batches are small. With 100-record writes, 64 KiB lowered the
  // p99 of others' certificates in a burst from 407–1,642 ms to 226–441 ms.
  maxBytesPerPartition: 64 * 1024,
  // Bounds the memory of one fetch response.
  maxBytes: 4 * 1024 * 1024,
  // In ms. Bounds the time until an added partition is read.
  metadataMaxAge: 30_000,
} satisfies Partial<ConsumerOptions>;

export interface ConsumerSettings {
  readonly groupId: string;
  /** Bytes that a broker collects before it answers a fetch, for `maxWaitTimeInMs` at most. */
  readonly minBytes: number;
  readonly sessionTimeoutMs: number;
  /** `SHUTDOWN_GRACE` in ms. */
  readonly shutdownGraceMs: number;
}

export function consumerConfig(settings: ConsumerSettings): Omit<ConsumerOptions, 'assignor' | 'events' | 'hooks'> {
  const { groupId, minBytes, sessionTimeoutMs, shutdownGraceMs } = settings;
  return {
    ...consumerSettings,
    // A rebalance waits for a member that drains, so that its requests in flight can finish.
    rebalanceTimeout: Math.max(consumerSettings.rebalanceTimeout, shutdownGraceMs),
    groupId,
    minBytes,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs(sessionTimeoutMs),
  };
}

/** Longest waits in ms before the consumer continues. */
export const graces = {
  /** For the writes of deliveries that are handed over to a tier, and again for the last commit, at a stop. */
  handoverMs: 4000,
  /** For a join that is still running when the consumer stops. */
  firstJoinMs: 15_000,
  /** For leaving the group and closing the connections. */
  leaveMs: 5000,
} as const;

export interface BarrierGraces {
  /** For requests in flight. Slower ones are aborted and handed over to a tier. */
  readonly requestsMs: number;
  /** For the writes of deliveries that are handed over, and again for the last commit. */
  readonly handoverMs: number;
}

/**
 * Returns the waits of a rebalance. They fit into the time for which the group waits for this member. Slow brokers may need all
 * of it: what is not handed over and committed then is repeated by the next owner.
 */
export function rebalanceGraces(sessionTimeoutMs: number): BarrierGraces {
  const requestsMs = Math.min(5000, Math.floor(sessionTimeoutMs / 3));
  const { rebalanceTimeout, maxWaitTimeInMs } = consumerSettings;
  const leftMs = rebalanceTimeout - heartbeatIntervalMs(sessionTimeoutMs) - maxWaitTimeInMs - requestsMs;
  return { requestsMs, handoverMs: Math.floor(leftMs / 2) };
}

/** Returns a third of the session, as Kafka's documentation of `heartbeat.interval.ms` advises, and 2 s at most. */
function heartbeatIntervalMs(sessionTimeoutMs: number): number {
  return Math.min(2000, Math.floor(sessionTimeoutMs / 3));
}

/**
 * Returns the shortest pause of the process after which its session may be over. Its last heartbeat may have been sent
 * one heartbeat interval and one fetch before the pause.
 */
export function longestProcessPauseMs(sessionTimeoutMs: number): number {
  return sessionTimeoutMs - heartbeatIntervalMs(sessionTimeoutMs) - consumerSettings.maxWaitTimeInMs;
}
