import type { PauseReason } from '../../flow/pause-reason.ts';
import type { AssignedPartition, Assignment } from './assignment.ts';
import type { LagMonitor, PartitionLag } from './lag-monitor.ts';
import { partitionKey, type TopicPartition } from '../client/consumer.ts';

export interface PartitionProgress extends TopicPartition {
  /**
   * Records from the group's commit to the end of the log: `unread` and `uncommitted` together, counted at the same moment.
   * Undefined until the brokers have answered.
   */
  readonly lag: number | undefined;
  /** Records in the log that this consumer has not received. Undefined until the brokers have answered. */
  readonly unread: number | undefined;
  /** Offsets from the commit to the highest one received. */
  readonly uncommitted: number;
  readonly unsettled: number;
  readonly pausedBy: PauseReason | undefined;
  /** Epoch milliseconds of the record that holds the commit back. */
  readonly oldestUnsettledAt: number | undefined;
  /** The monotonic time of its last batch. Undefined before the first. */
  readonly readAt: number | undefined;
}

/** Returns the progress of each assigned partition, including those that no record came from yet. */
export function progressOf(
  assignment: Assignment,
  lags: Pick<LagMonitor, 'of'>,
  awaitsConfigurations = false,
): readonly PartitionProgress[] {
  return Object.entries(assignment.assigned).flatMap(([topic, partitions]) =>
    partitions.map((partition) => {
      const read = assignment.get(topic, partition);
      const uncommitted = Math.max(0, read?.ledger.span ?? 0);
      const known = lags.of(topic, partition);
      const unread = unreadOf(read, known);
      return {
        topic,
        partition,
        // The brokers' lag is up to 15 s old. Beside a count of now it would look as if nothing were read.
        lag: unread === undefined ? undefined : unread + uncommitted,
        unread,
        uncommitted,
        unsettled: read?.ledger.unsettled ?? 0,
        pausedBy: assignment.pausedBy(topic) ?? pauseReasonOf(read, awaitsConfigurations, { ...known, unread }),
        oldestUnsettledAt: read?.ledger.oldest?.timestamp,
        readAt: read?.readAt,
      };
    }),
  );
}

function unreadOf(read: AssignedPartition | undefined, lag: PartitionLag | undefined): number | undefined {
  if (read === undefined || lag === undefined) return lag?.records;
  return Math.max(0, lag.end - read.ledger.next);
}

/** Returns `transaction` once all records before an open one have been received. Flow control knows of the other reasons. */
function pauseReasonOf(
  read: AssignedPartition | undefined,
  awaitsConfigurations: boolean,
  { unread = 0, end = 0, openSince = Infinity }: Partial<PartitionLag> & Pick<PartitionProgress, 'unread'>,
): PauseReason | undefined {
  if (awaitsConfigurations && read !== undefined && read.ledger.unsettled > 0) return 'configurations';
  return read?.pausedBy ?? (end - unread >= openSince ? 'transaction' : undefined);
}

/**
 * Describes a partition that has records but returned none for `patienceMs`. It is not paused and has nothing in flight.
 * Returns undefined if there is none.
 */
export function findStalledPartition(
  progress: readonly PartitionProgress[],
  { now, since, patienceMs }: { readonly now: number; readonly since: number; readonly patienceMs: number },
): string | undefined {
  const stalled = progress.find(({ lag, uncommitted, unsettled, pausedBy, readAt }) => {
    const isIdle = unsettled === 0 && uncommitted === 0 && pausedBy === undefined;
    return isIdle && (lag ?? 0) > 0 && now - Math.max(readAt ?? 0, since) > patienceMs;
  });
  if (stalled === undefined) return undefined;
  const name = partitionKey(stalled.topic, stalled.partition);
  return `${name} has records and none has come for ${patienceMs / 1000} s`;
}
