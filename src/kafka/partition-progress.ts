import type { Assignment } from './assignment.ts';

/** How far one assigned partition is, for metrics. */
export interface PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** Records from the group's commit to the end of the log; undefined until it was asked for. */
  readonly lag: number | undefined;
  /** Highest offset received + 1 − committed. */
  readonly uncommitted: number;
  readonly paused: boolean;
  /** Epoch milliseconds of the record that holds the commit back. */
  readonly oldestUnsettledAt: number | undefined;
}

/** Every partition assigned, those that no record came from yet included. */
export function progressOf(
  assignment: Assignment,
  lagOf: (topic: string, partition: number) => number | undefined,
): readonly PartitionProgress[] {
  return Object.entries(assignment.assigned).flatMap(([topic, partitions]) =>
    partitions.map((partition) => {
      const read = assignment.get(topic, partition);
      return {
        topic,
        partition,
        lag: lagOf(topic, partition),
        uncommitted: read?.ledger.span ?? 0,
        paused: read?.paused ?? false,
        oldestUnsettledAt: read?.ledger.oldest?.timestamp,
      };
    }),
  );
}
