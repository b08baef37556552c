import type { ConsumerConfig } from 'kafkajs';
import { kafkaErrorType } from '../kafkajs/error-type.ts';

/** How both groups' consumers work, but for the group and its session timeout. */
export const consumerSettings = {
  rebalanceTimeout: 20_000,
  // Bounds how long resuming, stopping and heartbeats wait, and records as long as there are fewer than `minBytes`.
  maxWaitTimeInMs: 250,
  // A batch is taken in in one go: small ones let the event loop turn while one partition has a burst.
  maxBytesPerPartition: 64 * 1024,
  maxBytes: 4 * 1024 * 1024,
  // Partitions that are added are read so soon.
  metadataMaxAge: 30_000,
  allowAutoTopicCreation: false,
  retry: {
    retries: 10,
    initialRetryTime: 100,
    maxRetryTime: 2000,
    // A topic that is gone stops all that the consumer reads: a new consumer without it is the way on.
    restartOnFailure: async (error: Error) => !isTopicGone(error),
  },
} satisfies Omit<ConsumerConfig, 'groupId'>;

/** How long is waited at most for what comes before the consumer goes on. */
export const graces = {
  /** In a rebalance the group waits for us: requests that take longer are broken off and handed over. */
  rebalanceMs: 5000,
  /** The writes of what is handed over, and then the last commit. */
  handoverMs: 4000,
  firstJoinMs: 15_000,
  leaveMs: 5000,
} as const;

/** Three heartbeats fit into a session, as Kafka's documentation of `heartbeat.interval.ms` advises. */
export function heartbeatIntervalMs(sessionTimeoutMs: number): number {
  return Math.min(2000, Math.floor(sessionTimeoutMs / 3));
}

/** A member that was well and then did nothing for so long may be out of its group: the last heartbeat was before that. */
export function longestProcessPauseMs(sessionTimeoutMs: number): number {
  return sessionTimeoutMs - heartbeatIntervalMs(sessionTimeoutMs) - consumerSettings.maxWaitTimeInMs;
}

function isTopicGone(error: Error): boolean {
  return kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
}
