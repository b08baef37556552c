import type { Run } from '../run-scenario.ts';
import { checkRecordAccounting } from './record-accounting.ts';
import { checkLimits } from './limits.ts';
import { RunFacts } from './run-facts.ts';
import { checkCommits } from './commits.ts';
import type { Violation } from './violation.ts';
import { checkProgress } from './progress.ts';
import { checkDuplicates, checkTakeovers } from './duplicates.ts';
import { checkResults } from './results.ts';
import { checkWaits } from './waits.ts';
import { checkSettlements } from './settlements.ts';
import { checkConfigurations } from './configurations.ts';
import { checkWebhookLimits } from './webhook-limits.ts';

const checkers = [
  checkDuplicates,
  checkTakeovers,
  checkCommits,
  checkSettlements,
  checkRecordAccounting,
  checkLimits,
  checkConfigurations,
  checkProgress,
  checkWaits,
  checkResults,
  checkWebhookLimits,
];

/**
 * Returns all violations of a finished run, the earliest first. An empty result means that the run kept every
 * invariant.
 *
 * Each checker covers one invariant of `docs/guarantees.md`:
 *
 * | Invariant       | Checker                 |
 * | --------------- | ----------------------- |
 * | `I1`            | `checkCommits`          |
 * | `I2`            | `checkSettlements`      |
 * | `I3`            | `checkRecordAccounting` |
 * | `I4`            | `checkLimits`           |
 * | `I9`            | `checkConfigurations`   |
 * | `I10`           | `checkProgress`         |
 * | `I10`           | `checkWaits`            |
 * | `no_duplicates` | `checkDuplicates`       |
 * | `no_duplicates` | `checkTakeovers`        |
 * | `results`       | `checkResults`          |
 * | `webhook_limits` | `checkWebhookLimits`   |
 *
 * Checkers are pure functions of `RunFacts`. They use no code of the service except the names of headers and event
 * types. A checker that shared the service's logic would share its bugs. `checkers.simulation.ts` tests each of them
 * with mutants, services with a known bug. A checker that finds its mutant in no run fails there.
 */
export function checkRun(run: Run): readonly Violation[] {
  const facts = new RunFacts(run);
  return checkers.flatMap((one) => one(facts)).toSorted((one, other) => one.at - other.at);
}
