import type { RecordResult } from '../../../src/pipeline/ports.ts';
import { type Case, placeOf, type Proof, type Task } from './run-facts.ts';
import type { Judgement } from './violation.ts';

/** I2: what a process says is settled has something to show for it, from after the record was written. */
export function judgeSettlements(facts: Case): readonly Judgement[] {
  return facts.entries.flatMap((entry, index) => {
    if (entry.kind !== 'settled') return [];
    const { result, instance, at } = entry;
    const place = placeOf(entry);
    const task = facts.tasks.get(place);
    const why = task === undefined ? 'there is no such record' : objection(facts, task, { result, index });
    return why === undefined
      ? []
      : [{ invariant: 'I2' as const, problem: `${instance} settled ${place} as ${result}: ${why}`, at }];
  });
}

interface Claimed {
  readonly result: RecordResult;
  readonly index: number;
}

function objection(facts: Case, task: Task, { result, index }: Claimed): string | undefined {
  const shown = (key: string): readonly Proof[] =>
    facts.proofsOf(key).filter((proof) => proof.index > task.index && proof.index < index);
  switch (task.kind) {
    case 'ignored':
      return result === 'ignored' ? undefined : 'its value is null';
    case 'broken':
      return shown(task.place).length > 0 ? undefined : 'it is not in the dead letters';
    case 'certificate': {
      const unshown = facts.owed(task, index).find((deliveryId) => shown(deliveryId).length === 0);
      return unshown && `there is nothing to show for ${unshown}`;
    }
    case 'retry': {
      const isWanted = facts.isWanted(task.deliveryId, { from: task.index, to: index });
      return !isWanted || shown(task.deliveryId).length > 0 ? undefined : `nothing to show for ${task.deliveryId}`;
    }
  }
}
