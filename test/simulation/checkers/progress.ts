import { type Case, partsOf } from './run-facts.ts';
import type { Judgement } from './violation.ts';

/** I10: once nothing new goes wrong all comes to an end, and an endpoint that works all the time lacks nothing. */
export function judgeProgress(facts: Case): readonly Judgement[] {
  const at = facts.entries.at(-1)?.at ?? 0;
  const problems = [...standing(facts), ...lacking(facts)];
  return problems.map((problem) => ({ invariant: 'I10', problem, at }));
}

function standing({ run: { ended }, entries }: Case): readonly string[] {
  const failed = entries.flatMap((entry) =>
    entry.kind === 'instance' && entry.did.startsWith('failed') ? [`${entry.instance} ${entry.did}`] : [],
  );
  return [
    ...(ended.cameToRest
      ? []
      : [`it never came to rest: ${ended.held} records held, ${ended.unread.join(', ')} unread`]),
    ...ended.stillUp.map((name) => `${name} does not end`),
    ...ended.failures,
    ...failed,
  ];
}

/** What is owed to an endpoint is delivered there, or in the dead letters; of one that always works, only for its size. */
function lacking(facts: Case): readonly string[] {
  return [...facts.tasks.values()].flatMap((task) => {
    if (task.kind !== 'certificate') return [];
    return facts.owed(task, facts.end).flatMap((deliveryId) => {
      const isDelivered = facts.proofsOf(deliveryId).some(({ how }) => how === 'delivered');
      const isBuried = facts.proofsOf(deliveryId).some(({ how }) => how === 'buried');
      if (isDelivered || (isBuried && !alwaysWorks(facts, deliveryId))) return [];
      return [`${deliveryId} was never delivered`];
    });
  });
}

/** Neither the endpoint nor the configuration was ever in the way, nor the size. */
function alwaysWorks(facts: Case, deliveryId: string): boolean {
  const { webhookId } = partsOf(deliveryId);
  const { moods, acts } = facts.run.plot;
  const isPrompt = (moods.get(webhookId) ?? []).every(({ kind }) => kind === 'prompt');
  const versions = acts.filter((act) => act.kind === 'configuration' && act.webhookId === webhookId);
  const isHuge = acts.some((act) => act.kind === 'certificate' && act.damage === 'huge');
  return isPrompt && versions.length === 1 && !isHuge;
}
