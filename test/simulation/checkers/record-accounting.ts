import { type RunFacts, positionOf } from './run-facts.ts';
import type { Violation } from './violation.ts';

/** Checks I3: a drained process ended each record that it consumed exactly once, and every record was settled. */
export function checkRecordAccounting(facts: RunFacts): readonly Violation[] {
  return [...checkProcesses(facts), ...checkRecords(facts)];
}

function checkProcesses(facts: RunFacts): readonly Violation[] {
  const open = new Map<string, number>();
  const violations: Violation[] = [];
  for (const entry of facts.entries) {
    const { at } = entry;
    if (entry.kind === 'consumed') count(open, `${entry.instance} ${positionOf(entry)}`, 1);
    if (entry.kind === 'settled' || entry.kind === 'abandoned') {
      const left = count(open, `${entry.instance} ${positionOf(entry)}`, -1);
      const problem = `${entry.instance} ended ${positionOf(entry)} more often than it consumed it`;
      if (left < 0) violations.push({ invariant: 'I3', problem, at });
    }
    if (entry.kind === 'instance' && entry.change === 'is drained') {
      const left = [...open].find(([key, times]) => key.startsWith(`${entry.instance} `) && times > 0);
      if (left !== undefined)
        violations.push({ invariant: 'I3', problem: `${left[0]} was consumed and never ended`, at });
    }
  }
  return violations;
}

function checkRecords(facts: RunFacts): readonly Violation[] {
  const settled = new Set(facts.entries.flatMap((entry) => (entry.kind === 'settled' ? [positionOf(entry)] : [])));
  const at = facts.entries.at(-1)?.at ?? 0;
  return [...facts.inputs.values()]
    .filter(({ position }) => !settled.has(position))
    .map(({ position }) => ({ invariant: 'I3', problem: `${position} was never settled`, at }));
}

function count(counts: Map<string, number>, key: string, by: number): number {
  const sum = (counts.get(key) ?? 0) + by;
  counts.set(key, sum);
  return sum;
}
