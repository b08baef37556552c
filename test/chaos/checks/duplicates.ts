import type { Disruption, Evidence, PublishedDelivery } from '../evidence/evidence.ts';
import { acceptances } from './expected-deliveries.ts';

/** The longest time between two commits. Everything settled in that time may be repeated. */
const maxCommitIntervalMs = 1000;

interface Duplicates {
  /** The number of acceptances beyond the first one, over all deliveries. */
  readonly repeated: number;
  /** The number that the disruptions allow: settled since the last commit, or in flight. */
  readonly allowed: number;
  /** The number of repeats that no disruption explains: their deliveries seem to have been committed. */
  readonly committed: number;
  /** The most deliveries that can have been in flight. From outside they look like committed ones. */
  readonly inFlight: number;
}

/** `copiesAllowed` is true if a broker may lose the acknowledgement of a retry, which is then written again. */
export function findDuplicates(evidence: Evidence, copiesAllowed: boolean): Duplicates {
  const { disruptions, maxInFlight } = evidence;
  const accepted = acceptances(evidence);
  const toldAt = timesOfResults(evidence);
  const isUncommitted = (begunAt: number, settledAt = begunAt): boolean =>
    disruptions.some((one) => isUncommittedAt(one, begunAt, settledAt));
  // A delivery is settled once its result is written.
  const isUnsettled = (deliveryId: string, acceptedAt: number): boolean =>
    isUncommitted(acceptedAt, Math.max(acceptedAt, toldAt.get(deliveryId) ?? acceptedAt));
  const publishedById = Map.groupBy(evidence.published, ({ deliveryId }) => deliveryId);
  const cutOffs = cutOffsById(evidence, accepted);
  const isExplained = (deliveryId: string, acceptedAt: number): boolean => {
    const published = publishedById.get(deliveryId) ?? [];
    return (
      isUnsettled(deliveryId, acceptedAt) ||
      cutOffs.get(deliveryId)?.some((at) => at >= acceptedAt) === true ||
      published.some(({ at }) => isUncommitted(at)) ||
      (copiesAllowed && hasCopies(published))
    );
  };
  // Each acceptance except the last one was followed by a repeat.
  const repeated = [...accepted].flatMap(([deliveryId, times]) =>
    times.slice(0, -1).map((at) => ({ deliveryId, isExplained: isExplained(deliveryId, at) })),
  );
  const inFlight = maxInFlight * disruptions.length;
  const unsettled = [...accepted].flatMap(([deliveryId, times]) => times.filter((at) => isUnsettled(deliveryId, at)));
  const publishedUncommitted = evidence.published.filter(({ at }) => isUncommitted(at)).length;
  const copies = copiesAllowed ? [...publishedById.values()].filter(hasCopies).length : 0;
  return {
    repeated: repeated.length,
    allowed: unsettled.length + publishedUncommitted + copies + cutOffs.size + inFlight,
    committed: repeated.filter((one) => !one.isExplained).length,
    inFlight,
  };
}

/**
 * Returns when deliveries were handed over, if one of their requests was accepted and has no result: a rebalance cuts off what is
 * still out after a while. The endpoint cannot know.
 */
function cutOffsById(
  { results }: Evidence,
  accepted: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, readonly number[]> {
  const cutOffs = new Map<string, readonly number[]>();
  for (const [deliveryId, told] of Map.groupBy(results, (result) => result.deliveryId)) {
    const delivered = told.filter(({ outcome }) => outcome === 'delivered');
    const count = delivered.reduce((sum, { written }) => sum + written, 0);
    const handedOver = told.filter(({ outcome }) => outcome === 'draining').map(({ at }) => at);
    if ((accepted.get(deliveryId)?.length ?? 0) > count && handedOver.length > 0) cutOffs.set(deliveryId, handedOver);
  }
  return cutOffs;
}

/** Returns the time at which the results topic first told that a delivery was accepted. */
function timesOfResults({ results }: Evidence): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { outcome, deliveryId, at } of results) {
    if (outcome === 'delivered') times.set(deliveryId, Math.min(at, times.get(deliveryId) ?? at));
  }
  return times;
}

function isUncommittedAt({ from, to }: Disruption, begunAt: number, settledAt: number): boolean {
  return begunAt <= to && settledAt >= from - maxCommitIntervalMs;
}

function hasCopies(published: readonly PublishedDelivery[]): boolean {
  return new Set(published.map(({ copyKey }) => copyKey)).size < published.length;
}
