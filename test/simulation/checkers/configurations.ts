import { type Case, partsOf } from './run-facts.ts';
import type { Judgement } from './violation.ts';

/** I9: a webhook configured before a certificate gets it, and none gets what is another owner's. */
export function judgeSubscriptions(facts: Case): readonly Judgement[] {
  return [...judgeMissing(facts), ...judgeStrangers(facts)];
}

function judgeMissing(facts: Case): readonly Judgement[] {
  const at = facts.entries.at(-1)?.at ?? 0;
  return [...facts.tasks.values()].flatMap((task) => {
    if (task.kind !== 'certificate') return [];
    return facts
      .owed(task, facts.end)
      .filter((deliveryId) => facts.proofsOf(deliveryId).length === 0)
      .map((deliveryId) => ({ invariant: 'I9' as const, problem: `${deliveryId} was never planned`, at }));
  });
}

function judgeStrangers(facts: Case): readonly Judgement[] {
  return facts.entries.flatMap((entry) => {
    if (entry.kind !== 'arrived') return [];
    const { deliveryId, webhookId, version, at } = entry;
    const task = facts.tasks.get(partsOf(deliveryId).place);
    const owner = facts.versions.ownerOf(webhookId, version);
    if (task?.kind === 'certificate' && task.ownerId === owner && partsOf(deliveryId).webhookId === webhookId)
      return [];
    return [{ invariant: 'I9' as const, problem: `${deliveryId} went to ${webhookId} of ${owner}`, at }];
  });
}
