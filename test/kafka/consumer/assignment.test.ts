import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { decodeSettled, maxMetadataBytes } from '../../../src/kafka/consumer/settled-offsets.ts';

describe('Assignment', () => {
  it('commits for each partition how far it is, and what is settled above that', () => {
    const assignment = new Assignment({ completed: [0, 1] });
    const opened = assignment.open('completed', 1, 10);
    const entries = [10, 11, 12].map((offset) => opened?.ledger.admit(offset));
    for (const entry of [entries[0], entries[2]]) if (entry !== undefined) opened?.ledger.settle(entry);
    const [commit] = assignment.toCommit(maxMetadataBytes)?.offsets.topics ?? [];
    expect(commit).toMatchObject({ topic: 'completed', partitions: [{ partition: 1, offset: '11' }] });
    expect(decodeSettled(11, commit?.partitions[0]?.metadata ?? '')).toEqual([{ start: 12, end: 13 }]);
  });

  it('has nothing to commit that the brokers have acknowledged', () => {
    const assignment = new Assignment({ completed: [0] });
    settleOne(assignment);
    const due = assignment.toCommit(maxMetadataBytes);
    expect(assignment.toCommit(maxMetadataBytes)).toBeDefined();
    due?.confirm();
    expect(assignment.toCommit(maxMetadataBytes)).toBeUndefined();
  });

  it('commits nothing once it is over, whatever settles late: its partitions may be another member’s', () => {
    const assignment = new Assignment({ completed: [0] });
    settleOne(assignment);
    assignment.revoke();
    expect(assignment.toCommit(maxMetadataBytes)).toBeUndefined();
    expect(assignment.open('completed', 0, 0)).toBeUndefined();
  });

  it('is confirmed while the group counts on us, and no longer once it is over', async () => {
    const assignment = new Assignment({ completed: [0] });
    expect(await assignment.stillOwned()).toBe(true);
    assignment.revoke();
    expect(await assignment.stillOwned()).toBe(false);
  });

  it('is confirmed in doubt once the group says so, and not when it is given up before', async () => {
    const word = Promise.withResolvers<void>();
    const [kept, left] = [1, 2].map(
      () => new Assignment({ completed: [0] }, { ownershipUnconfirmed: () => word.promise }),
    );
    const answers = Promise.all([kept?.stillOwned(), left?.stillOwned()]);
    left?.prepareToRevoke();
    await Promise.resolve();
    word.resolve();
    expect(await answers).toEqual([true, false]);
  });

  it('opens no partition that was not assigned', () => {
    expect(new Assignment({ completed: [0] }).open('completed', 1, 0)).toBeUndefined();
  });

  it('forgets what was settled when the log turns out to be another one', () => {
    const assignment = new Assignment({ completed: [0] }, { settledBefore: () => [{ start: 5, end: 9 }] });
    expect(assignment.open('completed', 0, 0)?.ledger.wasSettled(5)).toBe(true);
    expect(assignment.reopen('completed', 0, 0)?.ledger.wasSettled(5)).toBe(false);
  });
});

function settleOne(assignment: Assignment): void {
  const ledger = assignment.open('completed', 0, 0)?.ledger;
  const entry = ledger?.admit(0);
  if (entry !== undefined) ledger?.settle(entry);
}
