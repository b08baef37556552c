import type { RecordResult } from '../../../src/pipeline/ports.ts';
import { type RunFacts, placeOf, type Proof, type InputRecord } from './run-facts.ts';
import type { Violation } from './violation.ts';

/** I2: what a process says is settled has something to show for it, from after the record was written. */
export function checkSettlements(facts: RunFacts): readonly Violation[] {
  return facts.entries.flatMap((entry, index) => {
    if (entry.kind !== 'settled') return [];
    const { result, instance, at } = entry;
    const place = placeOf(entry);
    const input = facts.inputs.get(place);
    const why = input === undefined ? 'there is no such record' : objection(facts, input, { result, index });
    return why === undefined
      ? []
      : [{ invariant: 'I2' as const, problem: `${instance} settled ${place} as ${result}: ${why}`, at }];
  });
}

interface Claimed {
  readonly result: RecordResult;
  readonly index: number;
}

function objection(facts: RunFacts, input: InputRecord, { result, index }: Claimed): string | undefined {
  const shown = (key: string): readonly Proof[] =>
    facts.proofsOf(key).filter((proof) => proof.index > input.index && proof.index < index);
  switch (input.kind) {
    case 'ignored':
      return result === 'ignored' ? undefined : 'its value is null';
    case 'broken':
      return shown(input.place).length > 0 ? undefined : 'it is not in the dead letters';
    case 'certificate': {
      const unshown = facts.owed(input, index).find((deliveryId) => shown(deliveryId).length === 0);
      return unshown && `there is nothing to show for ${unshown}`;
    }
    case 'retry': {
      const isWanted = facts.isWanted(input.deliveryId, { from: input.index, to: index });
      return !isWanted || shown(input.deliveryId).length > 0 ? undefined : `nothing to show for ${input.deliveryId}`;
    }
  }
}
