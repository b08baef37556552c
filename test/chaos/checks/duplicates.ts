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
  const isUncommitted = (at: number): boolean => disruptions.some((one) => isUncommittedAt(one, at));
  const publishedById = Map.groupBy(evidence.published, ({ deliveryId }) => deliveryId);
  const isExplained = (deliveryId: string, acceptedAt: number): boolean => {
    const published = publishedById.get(deliveryId) ?? [];
    return (
      isUncommitted(acceptedAt) ||
      published.some(({ at }) => isUncommitted(at)) ||
      (copiesAllowed && hasCopies(published))
    );
  };
  // Each acceptance except the last one was followed by a repeat.
  const repeated = [...accepted].flatMap(([deliveryId, times]) =>
    times.slice(0, -1).map((at) => ({ deliveryId, isExplained: isExplained(deliveryId, at) })),
  );
  const inFlight = maxInFlight * disruptions.length;
  const publishedUncommitted = evidence.published.filter(({ at }) => isUncommitted(at)).length;
  const copies = copiesAllowed ? [...publishedById.values()].filter(hasCopies).length : 0;
  return {
    repeated: repeated.length,
    allowed: [...accepted.values()].flat().filter(isUncommitted).length + publishedUncommitted + copies + inFlight,
    committed: repeated.filter((one) => !one.isExplained).length,
    inFlight,
  };
}

function isUncommittedAt({ from, to }: Disruption, at: number): boolean {
  return at >= from - maxCommitIntervalMs && at <= to;
}

function hasCopies(published: readonly PublishedDelivery[]): boolean {
  return new Set(published.map(({ copyKey }) => copyKey)).size < published.length;
}
