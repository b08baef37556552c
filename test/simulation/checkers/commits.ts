import type { RunFacts, InputRecord } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Checks I1: a commit never goes back, and never passes a record whose deliveries are not settled. For each record that
 * it passes, every delivery needs a proof of its own by then: a 2xx or an acknowledged write.
 */
export function checkCommits(facts: RunFacts): readonly Violation[] {
  const violations: Violation[] = [];
  const committed = new Map<string, number>();
  const passed = new Map<string, number>();
  for (const [index, entry] of facts.entries.entries()) {
    if (entry.kind !== 'committed') continue;
    const { topic, partition, offset, at } = entry;
    const log = `${topic}/${partition}`;
    const before = committed.get(log) ?? 0;
    if (offset < before) {
      violations.push({ invariant: 'I1', problem: `the commit of ${log} went back from ${before} to ${offset}`, at });
    }
    for (let passedOffset = before; passedOffset < offset; passedOffset += 1) {
      const input = facts.inputs.get(`${log}/${passedOffset}`);
      const missing = input === undefined ? [] : findUnproven(facts, input, { index, passed });
      for (const key of missing) {
        const problem = `a commit passed ${log}/${passedOffset} without a proof for ${key}`;
        violations.push({ invariant: 'I1', problem, at });
      }
    }
    committed.set(log, Math.max(before, offset));
  }
  return violations;
}

/** Returns the deliveries of a passed record that lack a proof. Two records of one delivery need two proofs. */
function findUnproven(
  facts: RunFacts,
  input: InputRecord,
  { index, passed }: { readonly index: number; readonly passed: Map<string, number> },
): readonly string[] {
  return requiredProofs(facts, input, index).filter((key) => {
    const count = (passed.get(key) ?? 0) + 1;
    passed.set(key, count);
    return facts.proofsOf(key).filter((proof) => proof.index < index).length < count;
  });
}

function requiredProofs(facts: RunFacts, input: InputRecord, index: number): readonly string[] {
  switch (input.kind) {
    case 'certificate':
      return facts.requiredDeliveries(input, index);
    case 'retry':
      return facts.isSubscribedThroughout(input.deliveryId, {
        from: certificateIndexOf(facts, input.deliveryId),
        to: index,
      })
        ? [input.deliveryId]
        : [];
    case 'invalid':
      return [input.position];
    case 'ignored':
    case 'owed_result':
      return [];
  }
}

/**
 * The index of the certificate that the delivery began with. If the webhook was unsubscribed at any time since, any
 * record of the delivery may have been dropped.
 */
function certificateIndexOf(facts: RunFacts, deliveryId: string): number {
  return facts.inputs.get(deliveryId.slice(0, deliveryId.lastIndexOf('/')))?.index ?? 0;
}
