import type { Run } from '../run-scenario.ts';
import { checkRecordAccounting } from './record-accounting.ts';
import { checkLimits } from './limits.ts';
import { RunFacts } from './run-facts.ts';
import { checkCommits } from './commits.ts';
import type { Violation } from './violation.ts';
import { checkProgress } from './progress.ts';
import { checkDuplicates } from './duplicates.ts';
import { checkSettlements } from './settlements.ts';
import { checkConfigurations } from './configurations.ts';

const checkers = [
  checkDuplicates,
  checkCommits,
  checkSettlements,
  checkRecordAccounting,
  checkLimits,
  checkConfigurations,
  checkProgress,
];

/** All that is wrong with the run, the earliest first. */
export function checkRun(run: Run): readonly Violation[] {
  const facts = new RunFacts(run);
  return checkers.flatMap((one) => one(facts)).toSorted((one, other) => one.at - other.at);
}
