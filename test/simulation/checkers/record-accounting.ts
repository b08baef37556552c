import { type RunFacts, placeOf } from './run-facts.ts';
import type { Violation } from './violation.ts';

/** I3: a process that ends in order has one end for each record that it read, and in all no record is without one. */
export function checkRecordAccounting(facts: RunFacts): readonly Violation[] {
  return [...checkProcesses(facts), ...checkRecords(facts)];
}

function checkProcesses(facts: RunFacts): readonly Violation[] {
  const open = new Map<string, number>();
  const violations: Violation[] = [];
  for (const entry of facts.entries) {
    const { at } = entry;
    if (entry.kind === 'consumed') count(open, `${entry.instance} ${placeOf(entry)}`, 1);
    if (entry.kind === 'settled' || entry.kind === 'abandoned') {
      const left = count(open, `${entry.instance} ${placeOf(entry)}`, -1);
      const problem = `${entry.instance} ended ${placeOf(entry)} more often than it read it`;
      if (left < 0) violations.push({ invariant: 'I3', problem, at });
    }
    if (entry.kind === 'instance' && entry.did === 'is drained') {
      const left = [...open].find(([key, times]) => key.startsWith(`${entry.instance} `) && times > 0);
      if (left !== undefined) violations.push({ invariant: 'I3', problem: `${left[0]} was read and has no end`, at });
    }
  }
  return violations;
}

function checkRecords(facts: RunFacts): readonly Violation[] {
  const settled = new Set(facts.entries.flatMap((entry) => (entry.kind === 'settled' ? [placeOf(entry)] : [])));
  const at = facts.entries.at(-1)?.at ?? 0;
  return [...facts.inputs.values()]
    .filter(({ place }) => !settled.has(place))
    .map(({ place }) => ({ invariant: 'I3', problem: `${place} was never settled`, at }));
}

function count(counts: Map<string, number>, key: string, by: number): number {
  const sum = (counts.get(key) ?? 0) + by;
  counts.set(key, sum);
  return sum;
}
