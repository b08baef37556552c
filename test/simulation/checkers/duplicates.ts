import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Checks that a graceful run delivers nothing twice, whenever its processes start and stop. In such a run no process is
 * killed or stalled and no response is lost. No request outlasts the time that a rebalance waits for it.
 */
export function checkDuplicates(facts: RunFacts): readonly Violation[] {
  if (!facts.run.scenario.isGraceful) return [];
  const accepted = new Set<string>();
  return facts.entries.flatMap((entry) => {
    if (entry.kind !== 'arrived' || !entry.isAccepted) return [];
    const { deliveryId, instance, at } = entry;
    if (!accepted.has(deliveryId)) {
      accepted.add(deliveryId);
      return [];
    }
    return [{ invariant: 'no_duplicates' as const, problem: `${instance} delivered ${deliveryId} again`, at }];
  });
}
