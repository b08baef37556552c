import { type RunFacts, parseDeliveryId } from './run-facts.ts';
import type { Violation } from './violation.ts';

/** I10: once nothing new goes wrong all comes to an end, and an endpoint that works all the time lacks nothing. */
export function checkProgress(facts: RunFacts): readonly Violation[] {
  const at = facts.entries.at(-1)?.at ?? 0;
  const problems = [...standing(facts), ...lacking(facts)];
  return problems.map((problem) => ({ invariant: 'I10', problem, at }));
}

function standing({ run: { ended }, entries }: RunFacts): readonly string[] {
  const failed = entries.flatMap((entry) =>
    entry.kind === 'instance' && entry.did.startsWith('failed') ? [`${entry.instance} ${entry.did}`] : [],
  );
  return [
    ...(ended.becameIdle
      ? []
      : [`it never came to rest: ${ended.held} records held, ${ended.unread.join(', ')} unread`]),
    ...ended.stillUp.map((name) => `${name} does not end`),
    ...ended.failures,
    ...failed,
  ];
}

/** What is owed to an endpoint is delivered there, or in the dead letters; of one that always works, only for its size. */
function lacking(facts: RunFacts): readonly string[] {
  return [...facts.inputs.values()].flatMap((input) => {
    if (input.kind !== 'certificate') return [];
    return facts.owed(input, facts.end).flatMap((deliveryId) => {
      const isDelivered = facts.proofsOf(deliveryId).some(({ how }) => how === 'delivered');
      const isDeadLettered = facts.proofsOf(deliveryId).some(({ how }) => how === 'dead_lettered');
      if (isDelivered || (isDeadLettered && !alwaysWorks(facts, deliveryId))) return [];
      return [`${deliveryId} was never delivered`];
    });
  });
}

/** Neither the endpoint nor the configuration was ever in the way, nor the size. */
function alwaysWorks(facts: RunFacts, deliveryId: string): boolean {
  const { webhookId } = parseDeliveryId(deliveryId);
  const { behaviours, actions } = facts.run.scenario;
  const isPrompt = (behaviours.get(webhookId) ?? []).every(({ kind }) => kind === 'prompt');
  const versions = actions.filter((action) => action.kind === 'configuration' && action.webhookId === webhookId);
  const isHuge = actions.some((action) => action.kind === 'certificate' && action.damage === 'huge');
  return isPrompt && versions.length === 1 && !isHuge;
}
