import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Where no process dies or stalls, no answer is lost and no request takes longer than a rebalance waits, no delivery is
 * made twice, however processes start and stop.
 */
export function checkDuplicates(facts: RunFacts): readonly Violation[] {
  if (!facts.run.scenario.isGraceful) return [];
  const taken = new Set<string>();
  return facts.entries.flatMap((entry) => {
    if (entry.kind !== 'arrived' || !entry.isAccepted) return [];
    const { deliveryId, instance, at } = entry;
    if (!taken.has(deliveryId)) {
      taken.add(deliveryId);
      return [];
    }
    return [{ invariant: 'once' as const, problem: `${instance} delivered ${deliveryId} once more`, at }];
  });
}
