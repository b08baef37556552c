import type { RunFacts, InputRecord } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * I1: a commit never goes back, and never passes a record whose deliveries are not settled. Each record of a delivery
 * that is passed needs something of its own to show for it: a 2xx, or a write that was acknowledged, by then.
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
    for (let passing = before; passing < offset; passing += 1) {
      const input = facts.inputs.get(`${log}/${passing}`);
      const missing = input === undefined ? [] : countPassed(facts, input, { index, passed });
      for (const key of missing) {
        const problem = `a commit passed ${log}/${passing} with nothing to show for ${key}`;
        violations.push({ invariant: 'I1', problem, at });
      }
    }
    committed.set(log, Math.max(before, offset));
  }
  return violations;
}

/** What the input owes and cannot show. Two records of one delivery need two things to show. */
function countPassed(
  facts: RunFacts,
  input: InputRecord,
  { index, passed }: { readonly index: number; readonly passed: Map<string, number> },
): readonly string[] {
  return owedBy(facts, input, index).filter((key) => {
    const count = (passed.get(key) ?? 0) + 1;
    passed.set(key, count);
    return facts.proofsOf(key).filter((proof) => proof.index < index).length < count;
  });
}

function owedBy(facts: RunFacts, input: InputRecord, index: number): readonly string[] {
  switch (input.kind) {
    case 'certificate':
      return facts.owed(input, index);
    case 'retry':
      return facts.isWanted(input.deliveryId, { from: firstIndexOf(facts, input.deliveryId), to: index })
        ? [input.deliveryId]
        : [];
    case 'broken':
      return [input.place];
    case 'ignored':
      return [];
  }
}

/** Of the certificate: a delivery that was ever unwanted may have been let go by any of its records. */
function firstIndexOf(facts: RunFacts, deliveryId: string): number {
  return facts.inputs.get(deliveryId.slice(0, deliveryId.lastIndexOf('/')))?.index ?? 0;
}
