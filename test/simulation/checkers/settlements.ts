import type { RecordResult } from '../../../src/pipeline/ports.ts';
import { type RunFacts, positionOf, type Proof, type InputRecord } from './run-facts.ts';
import type { Violation } from './violation.ts';

/** Checks I2: a record that a process reports as settled has a proof from after the record was written. */
export function checkSettlements(facts: RunFacts): readonly Violation[] {
  return facts.entries.flatMap((entry, index) => {
    if (entry.kind !== 'settled') return [];
    const { result, instance, at } = entry;
    const position = positionOf(entry);
    const input = facts.inputs.get(position);
    const problem = input === undefined ? 'there is no such record' : problemWith(facts, input, { result, index });
    return problem === undefined
      ? []
      : [{ invariant: 'I2' as const, problem: `${instance} settled ${position} as ${result}: ${problem}`, at }];
  });
}

interface ReportedSettlement {
  readonly result: RecordResult;
  readonly index: number;
}

function problemWith(facts: RunFacts, input: InputRecord, { result, index }: ReportedSettlement): string | undefined {
  const proofsSince = (key: string): readonly Proof[] =>
    facts.proofsOf(key).filter((proof) => proof.index > input.index && proof.index < index);
  switch (input.kind) {
    // `checkResults` knows whether it was paid.
    case 'owed_result':
      return undefined;
    case 'ignored':
      return result === 'ignored' ? undefined : 'its value is null';
    case 'invalid':
      return proofsSince(input.position).length > 0 ? undefined : 'it has no dead letter';
    case 'certificate': {
      const unproven = facts
        .requiredDeliveries(input, index)
        .find((deliveryId) => proofsSince(deliveryId).length === 0);
      return unproven && `there is no proof for ${unproven}`;
    }
    case 'retry': {
      const isSubscribedThroughout = facts.isSubscribedThroughout(input.deliveryId, { from: input.index, to: index });
      return !isSubscribedThroughout || proofsSince(input.deliveryId).length > 0
        ? undefined
        : `there is no proof for ${input.deliveryId}`;
    }
  }
}
