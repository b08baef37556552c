import { deliveryIdOf, type ObservedCommit, type Evidence } from '../evidence/evidence.ts';
import { acceptances } from './expected-deliveries.ts';

/**
 * Returns the commits that break a guarantee. A commit may not go back. It may not pass a record, or list it as
 * settled, with an unsettled delivery. A delivery is settled once it is accepted by its endpoint or published to
 * another topic.
 */
export function findInvalidCommits(evidence: Evidence): readonly string[] {
  const recordsByPartition = groupByPartition(evidence);
  const isSettledBy = settlementTest(evidence);
  const positions = new Map<string, number>();
  return evidence.commits.flatMap((commit) => {
    const partition = `${commit.topic}/${commit.partition}`;
    const before = positions.get(partition) ?? 0;
    positions.set(partition, Math.max(before, commit.offset));
    if (commit.offset < before) return [`the commit of ${partition} went back from ${before} to ${commit.offset}`];
    const claimedRecords = (recordsByPartition.get(partition) ?? []).filter(({ offset }) =>
      isClaimed(commit, before, offset),
    );
    return claimedRecords
      .flatMap(({ pending }) => pending)
      .filter((one) => !isSettledBy(one, commit.at))
      .map(({ deliveryId }) => `the commit of ${partition} at ${commit.offset} passed ${deliveryId} unsettled`);
  });
}

/** Returns true if the commit claims that the record is settled. Records of earlier commits are skipped. */
function isClaimed({ offset: position, settled }: ObservedCommit, before: number, offset: number): boolean {
  if (offset < position) return offset >= before;
  return settled.some(({ start, end }) => offset >= start && offset < end);
}

interface PartitionRecord {
  readonly offset: number;
  readonly pending: readonly PendingDelivery[];
}

interface PendingDelivery {
  readonly deliveryId: string;
  /** The position of the record with the delivery. Only a write to another position settles it. */
  readonly position: string;
  /** Epoch milliseconds of that record, or zero for a certificate. */
  readonly since: number;
}

/** Returns the records of each partition of the certificate topic and the tiers, with their pending deliveries. */
function groupByPartition({
  records,
  webhooksByOwner,
  published,
}: Evidence): ReadonlyMap<string, readonly PartitionRecord[]> {
  const recordsByPartition = new Map<string, PartitionRecord[]>();
  const add = (partition: string, offset: number, deliveryIds: readonly string[], since: number): void => {
    const position = `${partition}/${offset}`;
    const partitionRecord = { offset, pending: deliveryIds.map((deliveryId) => ({ deliveryId, position, since })) };
    const existing = recordsByPartition.get(partition);
    if (existing === undefined) recordsByPartition.set(partition, [partitionRecord]);
    else existing.push(partitionRecord);
  };
  for (const record of records) {
    const ids = (webhooksByOwner.get(record.ownerId) ?? []).map((webhookId) => deliveryIdOf(record, webhookId));
    add(`${record.topic}/${record.partition}`, record.offset, ids, 0);
  }
  for (const { topic, partition, offset, deliveryId, at, deadLetterReason } of published) {
    if (deadLetterReason === undefined) add(`${topic}/${partition}`, offset, [deliveryId], at);
  }
  return recordsByPartition;
}

/** Returns a function that tests if a delivery was accepted, or published to another position, by that time. */
function settlementTest(evidence: Evidence): (pending: PendingDelivery, at: number) => boolean {
  const accepted = acceptances(evidence);
  const publishedById = Map.groupBy(evidence.published, ({ deliveryId }) => deliveryId);
  return ({ deliveryId, position, since }, at) => {
    const [first = Infinity] = accepted.get(deliveryId) ?? [];
    if (first <= at) return true;
    const written = publishedById.get(deliveryId) ?? [];
    return written.some(
      (one) => one.at >= since && one.at <= at && `${one.topic}/${one.partition}/${one.offset}` !== position,
    );
  };
}
