import type { Case, Task } from './run-facts.ts';
import type { Judgement } from './violation.ts';

/**
 * I1: a commit never goes back, and never passes a record whose deliveries are not settled. Each record of a delivery
 * that is passed needs something of its own to show for it: a 2xx, or a write that was acknowledged, by then.
 */
export function judgeCommits(facts: Case): readonly Judgement[] {
  const judgements: Judgement[] = [];
  const committed = new Map<string, number>();
  const passed = new Map<string, number>();
  for (const [index, entry] of facts.entries.entries()) {
    if (entry.kind !== 'committed') continue;
    const { topic, partition, offset, at } = entry;
    const log = `${topic}/${partition}`;
    const before = committed.get(log) ?? 0;
    if (offset < before) {
      judgements.push({ invariant: 'I1', problem: `the commit of ${log} went back from ${before} to ${offset}`, at });
    }
    for (let passing = before; passing < offset; passing += 1) {
      const task = facts.tasks.get(`${log}/${passing}`);
      const missing = task === undefined ? [] : countPassed(facts, task, { index, passed });
      for (const key of missing) {
        const problem = `a commit passed ${log}/${passing} with nothing to show for ${key}`;
        judgements.push({ invariant: 'I1', problem, at });
      }
    }
    committed.set(log, Math.max(before, offset));
  }
  return judgements;
}

/** What the task owes and cannot show. Two records of one delivery need two things to show. */
function countPassed(
  facts: Case,
  task: Task,
  { index, passed }: { readonly index: number; readonly passed: Map<string, number> },
): readonly string[] {
  return owedBy(facts, task, index).filter((key) => {
    const count = (passed.get(key) ?? 0) + 1;
    passed.set(key, count);
    return facts.proofsOf(key).filter((proof) => proof.index < index).length < count;
  });
}

function owedBy(facts: Case, task: Task, index: number): readonly string[] {
  switch (task.kind) {
    case 'certificate':
      return facts.owed(task, index);
    case 'retry':
      return facts.isWanted(task.deliveryId, { from: firstIndexOf(facts, task.deliveryId), to: index })
        ? [task.deliveryId]
        : [];
    case 'broken':
      return [task.place];
    case 'ignored':
      return [];
  }
}

/** Of the certificate: a delivery that was ever unwanted may have been let go by any of its records. */
function firstIndexOf(facts: Case, deliveryId: string): number {
  return facts.tasks.get(deliveryId.slice(0, deliveryId.lastIndexOf('/')))?.index ?? 0;
}
