import type { ConsumerConfig } from 'kafkajs';
import { kafkaErrorType } from '../kafkajs/error-type.ts';

/** Settings that the consumers of both groups share. */
export const consumerSettings = {
  // In ms. The group waits this long for members to rejoin; the barrier before a rejoin takes up to 13 s of it.
  rebalanceTimeout: 20_000,
  // In ms. Bounds the delay of resuming, stopping and heartbeats, and of records while there are fewer than `minBytes`.
  maxWaitTimeInMs: 250,
  // A batch is decoded in one turn of the event loop, so batches are small. With 100-record writes, 64 KiB lowered the
  // p99 of others' certificates in a burst from 407–1,642 ms to 226–441 ms.
  maxBytesPerPartition: 64 * 1024,
  // Bounds the memory of one fetch response.
  maxBytes: 4 * 1024 * 1024,
  // In ms. Bounds the time until an added partition is read.
  metadataMaxAge: 30_000,
  allowAutoTopicCreation: false,
  retry: {
    retries: 10,
    initialRetryTime: 100,
    maxRetryTime: 2000,
    // A deleted topic stops the whole consumer. Only a new consumer that does not read the topic helps.
    restartOnFailure: async (error: Error) => !isTopicGone(error),
  },
} satisfies Omit<ConsumerConfig, 'groupId'>;

export interface ConsumerSettings {
  readonly groupId: string;
  /** Bytes that a broker collects before it answers a fetch, for `maxWaitTimeInMs` at most. */
  readonly minBytes: number;
  readonly sessionTimeoutMs: number;
}

/** Returns the settings of kafkajs for the consumer of one group. */
export function consumerConfig({ groupId, minBytes, sessionTimeoutMs }: ConsumerSettings): ConsumerConfig {
  return {
    ...consumerSettings,
    groupId,
    minBytes,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs(sessionTimeoutMs),
  };
}

/** Longest waits in ms before the consumer continues. */
export const graces = {
  /** For requests in flight during a rebalance, because the group waits for us. Slower ones are aborted and handed over. */
  rebalanceMs: 5000,
  /** For the writes of deliveries that are handed over to a tier, and again for the last commit. */
  handoverMs: 4000,
  /** For a join that is still running when the consumer stops. */
  firstJoinMs: 15_000,
  /** For leaving the group and closing the connections. */
  leaveMs: 5000,
} as const;

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

function isTopicGone(error: Error): boolean {
  return kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
}
