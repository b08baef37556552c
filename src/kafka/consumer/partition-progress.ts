import type { AssignedPartition, Assignment } from './assignment.ts';
import type { LagMonitor } from './lag-monitor.ts';

/** How far one assigned partition is. */
export interface PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** Records from the group's commit to the end of the log; undefined until it was asked for. */
  readonly lag: number | undefined;
  /** Records that are there and were not received yet; undefined until the end was asked for. */
  readonly unread: number | undefined;
  /** Highest offset received + 1 − committed. */
  readonly uncommitted: number;
  readonly unsettled: number;
  readonly paused: boolean;
  /** Epoch milliseconds of the record that holds the commit back. */
  readonly oldestUnsettledAt: number | undefined;
  /** Epoch milliseconds of its last batch; undefined before the first. */
  readonly readAt: number | undefined;
}

/** Every partition assigned, those that no record came from yet included. */
export function progressOf(
  assignment: Assignment,
  lags: Pick<LagMonitor, 'lagOf' | 'endOf'>,
): readonly PartitionProgress[] {
  return Object.entries(assignment.assigned).flatMap(([topic, partitions]) =>
    partitions.map((partition) => {
      const read = assignment.get(topic, partition);
      const lag = lags.lagOf(topic, partition);
      return {
        topic,
        partition,
        lag,
        unread: unreadOf(read, { lag, end: lags.endOf(topic, partition) }),
        uncommitted: Math.max(0, read?.ledger.span ?? 0),
        unsettled: read?.ledger.unsettled ?? 0,
        paused: read?.paused ?? false,
        oldestUnsettledAt: read?.ledger.oldest?.timestamp,
        readAt: read?.readAt,
      };
    }),
  );
}

function unreadOf(
  read: AssignedPartition | undefined,
  { lag, end }: { readonly lag: number | undefined; readonly end: number | undefined },
): number | undefined {
  if (read === undefined || end === undefined) return lag;
  return Math.max(0, end - read.ledger.next);
}

/** Names a partition of which nothing is under way, which nothing keeps from being read, and whose records do not come. */
export function findStalledPartition(
  progress: readonly PartitionProgress[],
  { now, since, patienceMs }: { readonly now: number; readonly since: number; readonly patienceMs: number },
): string | undefined {
  const still = progress.find(({ lag, uncommitted, unsettled, paused, readAt }) => {
    const isIdle = unsettled === 0 && uncommitted === 0 && !paused;
    return isIdle && (lag ?? 0) > 0 && now - Math.max(readAt ?? 0, since) > patienceMs;
  });
  return still && `${still.topic}/${still.partition} has records and none has come for ${patienceMs / 1000} s`;
}
