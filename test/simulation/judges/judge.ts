import type { Run } from '../world/run.ts';
import { judgeAccounts } from './accounts.ts';
import { judgeBounds } from './bounds.ts';
import { Case } from './case.ts';
import { judgeCommits } from './commits.ts';
import type { Judgement } from './judgement.ts';
import { judgeProgress } from './progress.ts';
import { judgeRepeats } from './repeats.ts';
import { judgeSettlements } from './settlements.ts';
import { judgeSubscriptions } from './subscriptions.ts';

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
