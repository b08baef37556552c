import { tierTopic } from '../../../src/settings.ts';
import { recoveryMs } from '../run-scenario.ts';
import { topics } from '../scenario/scenario.ts';
import { positionOf, type RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * The longest time that a record waits after the delay of its tier, once the faults have ended. Includes a session, a join,
 * and tiers that are read in small windows. Shorter than any change of a wall clock, which would show.
 */
const longestWaitMs = 3 * recoveryMs;

/** Checks I10: no record waits for longer than the delay of its tier and a fixed time, whatever the wall clocks say. */
export function checkWaits({ entries, run: { scenario } }: RunFacts): readonly Violation[] {
  const { tiersMs } = scenario.settings;
  const delays = new Map(tiersMs.map((delayMs) => [tierTopic(topics.tierPrefix, delayMs), delayMs]));
  const deadlines = new Map<string, number>();
  const violations: Violation[] = [];
  for (const entry of entries) {
    if (entry.kind === 'appended') {
      const from = Math.max(entry.at, scenario.faultsEndAtMs);
      deadlines.set(positionOf(entry.record), from + (delays.get(entry.record.topic) ?? 0) + longestWaitMs);
    }
    if (entry.kind !== 'settled') continue;
    const position = positionOf(entry);
    const deadline = deadlines.get(position);
    if (deadline === undefined || entry.at <= deadline) continue;
    const problem = `${entry.instance} settled ${position} ${entry.at - deadline} ms too late`;
    violations.push({ invariant: 'I10', problem, at: entry.at });
  }
  return violations;
}
