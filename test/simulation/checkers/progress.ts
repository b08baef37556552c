import { type Proof, type RunFacts, parseDeliveryId } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Checks I10: no record stops the service. After the faults have ended, the run becomes idle and every process exits.
 * An endpoint that always works gets all of its deliveries.
 */
export function checkProgress(facts: RunFacts): readonly Violation[] {
  const at = facts.entries.at(-1)?.at ?? 0;
  const problems = [...findUnfinished(facts), ...findUndelivered(facts)];
  return problems.map((problem) => ({ invariant: 'I10', problem, at }));
}

function findUnfinished({ run: { outcome }, entries }: RunFacts): readonly string[] {
  const failed = entries.flatMap((entry) =>
    entry.kind === 'instance' && entry.change.startsWith('failed') ? [`${entry.instance} ${entry.change}`] : [],
  );
  return [
    ...(outcome.becameIdle
      ? []
      : [`it never became idle: ${outcome.held} records in flight, ${outcome.unread.join(', ')} unread`]),
    ...outcome.notExited.map((name) => `${name} does not exit`),
    ...outcome.failures,
    ...failed,
  ];
}

/** Finds required deliveries that were not delivered. A dead letter is no excuse if the endpoint always works. */
function findUndelivered(facts: RunFacts): readonly string[] {
  return [...facts.inputs.values()].flatMap((input) => {
    if (input.kind !== 'certificate') return [];
    return facts.requiredDeliveries(input, facts.end).flatMap((deliveryId) => {
      const proofs = facts.proofsOf(deliveryId);
      const dead = proofs.find(({ how }) => how === 'dead_lettered');
      const isExcused = dead !== undefined && (!alwaysWorks(facts, deliveryId) || isAgedByClock(facts, proofs, dead));
      if (isExcused || proofs.some(({ how }) => how === 'delivered')) return [];
      return [`${deliveryId} was never delivered`];
    });
  });
}

/** Returns true if the endpoint was always prompt, its configuration never changed, has no limit a minute, and no certificate was too large. */
function alwaysWorks(facts: RunFacts, deliveryId: string): boolean {
  const { webhookId } = parseDeliveryId(deliveryId);
  const { behaviours, actions } = facts.run.scenario;
  const isPrompt = (behaviours.get(webhookId) ?? []).every(({ kind }) => kind === 'prompt');
  const versions = actions
    .filter((action) => action.kind === 'configuration')
    .filter((action) => action.webhookId === webhookId);
  const isHuge = actions.some((action) => action.kind === 'certificate' && action.damage === 'huge');
  const isPaced = versions.some(({ configuration }) => configuration?.limits?.perMinute !== undefined);
  return isPrompt && versions.length === 1 && !isPaced && !isHuge;
}

/**
 * Returns true if a retry may have been taken for too old: who reads it adds the time by which its writer's clock was behind, and
 * clocks are set back by more than the longest age.
 */
function isAgedByClock({ run, entries }: RunFacts, proofs: readonly Proof[], dead: Proof): boolean {
  const isRetry = proofs.some(({ how, index }) => how === 'written' && index < dead.index);
  const deadAt = entries[dead.index]?.at ?? 0;
  return (
    isRetry &&
    run.scenario.actions.some((action) => action.kind === 'set_clock' && action.ms < 0 && action.atMs <= deadAt)
  );
}
