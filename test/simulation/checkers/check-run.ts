import type { Run } from '../run-scenario.ts';
import { judgeAccounts } from './record-accounting.ts';
import { judgeBounds } from './limits.ts';
import { Case } from './run-facts.ts';
import { judgeCommits } from './commits.ts';
import type { Judgement } from './violation.ts';
import { judgeProgress } from './progress.ts';
import { judgeRepeats } from './duplicates.ts';
import { judgeSettlements } from './settlements.ts';
import { judgeSubscriptions } from './configurations.ts';

const judges = [
  judgeRepeats,
  judgeCommits,
  judgeSettlements,
  judgeAccounts,
  judgeBounds,
  judgeSubscriptions,
  judgeProgress,
];

/** All that is wrong with the run, the earliest first. */
export function judge(run: Run): readonly Judgement[] {
  const facts = new Case(run);
  return judges.flatMap((one) => one(facts)).toSorted((one, other) => one.at - other.at);
}
