import type { Disruption, Evidence, HandoffSeen } from '../evidence/evidence.ts';
import { acceptances } from './expected-deliveries.ts';

/** Commits are at most so far apart: what was settled in that time may come again. */
const betweenCommitsMs = 1000;

export interface Repetitions {
  /** Deliveries that an endpoint accepted more than once, each as often as it was one too many. */
  readonly repeated: number;
  /** What the disruptions allow: all that was settled since the last commit, and what was in flight. */
  readonly allowed: number;
  /** Repeated, although no disruption found them accepted or handed on, and yet to be committed. */
  readonly committed: number;
  /** At most; from outside these look as if they were committed. */
  readonly inFlight: number;
}

/** `copiesAllowed`: a broker may lose the acknowledgement of a retry, which is written once more then. */
export function repetitions(evidence: Evidence, copiesAllowed: boolean): Repetitions {
  const { disruptions, maxInFlight } = evidence;
  const accepted = acceptances(evidence);
  const isPending = (at: number): boolean => disruptions.some((one) => isPendingAt(one, at));
  const handedOn = Map.groupBy(evidence.handoffs, ({ deliveryId }) => deliveryId);
  const isExplained = (deliveryId: string, acceptedAt: number): boolean => {
    const handoffs = handedOn.get(deliveryId) ?? [];
    return isPending(acceptedAt) || handoffs.some(({ at }) => isPending(at)) || (copiesAllowed && hasCopies(handoffs));
  };
  // Each acceptance but the last was followed by one that was too many.
  const repeated = [...accepted].flatMap(([deliveryId, moments]) =>
    moments.slice(0, -1).map((at) => ({ deliveryId, isExplained: isExplained(deliveryId, at) })),
  );
  const inFlight = maxInFlight * disruptions.length;
  const handoffsPending = evidence.handoffs.filter(({ at }) => isPending(at)).length;
  const copies = copiesAllowed ? [...handedOn.values()].filter(hasCopies).length : 0;
  return {
    repeated: repeated.length,
    allowed: [...accepted.values()].flat().filter(isPending).length + handoffsPending + copies + inFlight,
    committed: repeated.filter((one) => !one.isExplained).length,
    inFlight,
  };
}

function isPendingAt({ from, to }: Disruption, at: number): boolean {
  return at >= from - betweenCommitsMs && at <= to;
}

function hasCopies(handoffs: readonly HandoffSeen[]): boolean {
  return new Set(handoffs.map(({ stage }) => stage)).size < handoffs.length;
}
