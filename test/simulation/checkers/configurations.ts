import { type RunFacts, parseDeliveryId } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Checks I9: a webhook configured before a certificate gets it. No webhook gets one of another owner, or one that was written
 * after it was removed.
 */
export function checkConfigurations(facts: RunFacts): readonly Violation[] {
  return [...findUnplanned(facts), ...findWrongOwners(facts), ...findRemoved(facts)];
}

/** Finds requests to webhooks that were removed, or did not want the event, since before the certificate was written. */
function findRemoved(facts: RunFacts): readonly Violation[] {
  return facts.entries.flatMap((entry, index) => {
    if (entry.kind !== 'arrived') return [];
    const { deliveryId, webhookId, at } = entry;
    const input = facts.inputs.get(parseDeliveryId(deliveryId).position);
    if (input?.kind !== 'certificate') return [];
    const { ownerId, eventType } = input;
    const interval = { from: input.index, to: index };
    if (!facts.versions.isUnsubscribedThroughout(webhookId, ownerId, eventType, interval)) return [];
    return [{ invariant: 'I9' as const, problem: `${deliveryId} went to a removed webhook`, at }];
  });
}

function findUnplanned(facts: RunFacts): readonly Violation[] {
  const at = facts.entries.at(-1)?.at ?? 0;
  return [...facts.inputs.values()].flatMap((input) => {
    if (input.kind !== 'certificate') return [];
    return facts
      .requiredDeliveries(input, facts.end)
      .filter((deliveryId) => facts.proofsOf(deliveryId).length === 0)
      .map((deliveryId) => ({ invariant: 'I9' as const, problem: `${deliveryId} was never planned`, at }));
  });
}

function findWrongOwners(facts: RunFacts): readonly Violation[] {
  return facts.entries.flatMap((entry) => {
    if (entry.kind !== 'arrived') return [];
    const { deliveryId, webhookId, version, at } = entry;
    const input = facts.inputs.get(parseDeliveryId(deliveryId).position);
    const owner = facts.versions.ownerOf(webhookId, version);
    if (input?.kind === 'certificate' && input.ownerId === owner && parseDeliveryId(deliveryId).webhookId === webhookId)
      return [];
    return [{ invariant: 'I9' as const, problem: `${deliveryId} went to ${webhookId} of ${owner}`, at }];
  });
}
