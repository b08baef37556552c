import { subjectOf } from '../environment/recording.ts';
import { parseDeliveryId, positionOf, type RunFacts } from './run-facts.ts';
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

/**
 * Checks that no process makes a first attempt that another one has made, which read the record later. Only what was in flight,
 * or was not committed, may be repeated after a session has ended. An attempt after a write to a tier may be a retry.
 */
export function checkTakeovers(facts: RunFacts): readonly Violation[] {
  const lastReaders = new Map<string, string>();
  const lastSenders = new Map<string, string>();
  const written = new Set<string>();
  return facts.entries.flatMap((entry) => {
    if (entry.kind === 'consumed') lastReaders.set(positionOf(entry), entry.instance);
    if (entry.kind === 'appended') written.add(subjectOf(entry.record.headers).deliveryId ?? '');
    if (entry.kind !== 'sent' || written.has(entry.deliveryId)) return [];
    const { instance, deliveryId, at } = entry;
    const reader = lastReaders.get(parseDeliveryId(deliveryId).position);
    const sender = lastSenders.get(deliveryId);
    lastSenders.set(deliveryId, instance);
    if (reader === instance || reader !== sender) return [];
    return [{ invariant: 'no_duplicates' as const, problem: `${instance} repeated ${deliveryId} of ${reader}`, at }];
  });
}
