import { deliveryIdOf, type CommitSeen, type Evidence } from '../evidence/evidence.ts';
import { acceptances } from './expected-deliveries.ts';

/**
 * Commits that no service may make: one that goes back, or passes a record, or names it as settled, while a delivery of
 * it is neither accepted by its endpoint nor handed on.
 */
export function brokenCommits(evidence: Evidence): readonly string[] {
  const contents = contentsByPartition(evidence);
  const isSettledBy = settlementOf(evidence);
  const positions = new Map<string, number>();
  return evidence.commits.flatMap((commit) => {
    const partition = `${commit.topic}/${commit.partition}`;
    const before = positions.get(partition) ?? 0;
    positions.set(partition, Math.max(before, commit.offset));
    if (commit.offset < before) return [`the commit of ${partition} went back from ${before} to ${commit.offset}`];
    const claimed = (contents.get(partition) ?? []).filter(({ offset }) => claims(commit, before, offset));
    return claimed
      .flatMap(({ pending }) => pending)
      .filter((one) => !isSettledBy(one, commit.at))
      .map(({ deliveryId }) => `the commit of ${partition} at ${commit.offset} passed ${deliveryId} unsettled`);
  });
}

/** What below `before` an earlier commit has claimed already is not looked at again. */
function claims({ offset: position, settled }: CommitSeen, before: number, offset: number): boolean {
  if (offset < position) return offset >= before;
  return settled.some(({ start, end }) => offset >= start && offset < end);
}

interface Content {
  readonly offset: number;
  readonly pending: readonly Pending[];
}

interface Pending {
  readonly deliveryId: string;
  /** Where the delivery lies that is to be settled: to be handed on, it has to be written elsewhere. */
  readonly place: string;
  readonly since: number;
}

/** What each partition of the certificate topic and the tiers holds, by offset. */
function contentsByPartition({
  records,
  webhooksByOwner,
  handoffs,
}: Evidence): ReadonlyMap<string, readonly Content[]> {
  const contents = new Map<string, Content[]>();
  const add = (partition: string, offset: number, deliveryIds: readonly string[], since: number): void => {
    const place = `${partition}/${offset}`;
    const content = { offset, pending: deliveryIds.map((deliveryId) => ({ deliveryId, place, since })) };
    const known = contents.get(partition);
    if (known === undefined) contents.set(partition, [content]);
    else known.push(content);
  };
  for (const record of records) {
    const ids = (webhooksByOwner.get(record.ownerId) ?? []).map((webhookId) => deliveryIdOf(record, webhookId));
    add(`${record.topic}/${record.partition}`, record.offset, ids, 0);
  }
  for (const { topic, partition, offset, deliveryId, at, deadBecause } of handoffs) {
    if (deadBecause === undefined) add(`${topic}/${partition}`, offset, [deliveryId], at);
  }
  return contents;
}

/** Whether a delivery was accepted by then, or written to another place after it had come to where it lies. */
function settlementOf(evidence: Evidence): (pending: Pending, at: number) => boolean {
  const accepted = acceptances(evidence);
  const handedOn = Map.groupBy(evidence.handoffs, ({ deliveryId }) => deliveryId);
  return ({ deliveryId, place, since }, at) => {
    const [first = Infinity] = accepted.get(deliveryId) ?? [];
    if (first <= at) return true;
    const written = handedOn.get(deliveryId) ?? [];
    return written.some(
      (one) => one.at >= since && one.at <= at && `${one.topic}/${one.partition}/${one.offset}` !== place,
    );
  };
}
