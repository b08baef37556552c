import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { OffsetCommitter } from '../../../src/kafka/consumer/offset-committer.ts';
import { sleep } from '../../../src/lib/clock.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const refusal = (type: string): Error => Object.assign(new Error(type), { type });

/** Settles one record. The coordinator refuses the first commits with these errors, and accepts the next one. */
function start(refusals: readonly string[]) {
  const clock = new ManualClock();
  const assignment = new Assignment({ completed: [0] });
  const ledger = assignment.open('completed', 0, 0)?.ledger;
  const entry = ledger?.admit(0);
  if (entry !== undefined) ledger?.settle(entry);
  const committed: string[] = [];
  let tries = 0;
  const committer = new OffsetCommitter({
    assignment: () => assignment,
    commit: async ({ topics }) => {
      const type = refusals[tries];
      tries += 1;
      if (type !== undefined) throw refusal(type);
      committed.push(...topics.flatMap(({ partitions }) => partitions.map(({ offset }) => offset)));
    },
    committed: () => undefined,
    failed: () => undefined,
    clock,
  });
  return { clock, assignment, committer, committed, tries: () => tries };
}

describe('the last commit of an assignment', () => {
  it.each(['NOT_COORDINATOR_FOR_GROUP', 'OFFSET_METADATA_TOO_LARGE', 'REQUEST_TIMED_OUT', 'AN_ERROR_OF_A_LATER_KAFKA'])(
    'is tried again after %s',
    async (type) => {
      const { clock, committer, committed } = start([type, type]);
      const last = committer.commitLast();
      await clock.advance(1000);
      await last;
      expect(committed).toEqual(['1']);
    },
  );

  it.each(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'REBALANCE_IN_PROGRESS'])(
    'is abandoned after %s, because the group does not wait for it',
    async (type) => {
      const { committer, committed, tries } = start([type]);
      await committer.commitLast();
      expect({ committed, tries: tries() }).toEqual({ committed: [], tries: 1 });
    },
  );

  it('is not tried again once the assignment is revoked', async () => {
    const { clock, assignment, committer, tries } = start(Array.from({ length: 100 }, () => 'GROUP_LOAD_IN_PROGRESS'));
    const last = committer.commitLast();
    await clock.advance(250);
    assignment.revoke();
    await clock.advance(250);
    await last;
    expect(tries()).toBe(3);
  });
});

describe('the commits of an assignment', () => {
  it.each([
    { takesMs: 300, sentAt: [500, 1000, 1500, 2000] },
    { takesMs: 700, sentAt: [500, 1500] },
  ])('are sent at most a second apart when each takes $takesMs ms', async ({ takesMs, sentAt }) => {
    const clock = new ManualClock();
    const startedAt = clock.monotonic();
    const assignment = new Assignment({ completed: [0] });
    const ledger = assignment.open('completed', 0, 0)?.ledger;
    const sent: number[] = [];
    const settleNext = (): void => {
      const entry = ledger?.admit(sent.length);
      if (entry !== undefined) ledger?.settle(entry);
    };
    settleNext();
    using committer = new OffsetCommitter({
      assignment: () => assignment,
      commit: async () => {
        sent.push(clock.monotonic() - startedAt);
        settleNext();
        await sleep(clock, takesMs);
      },
      committed: () => undefined,
      failed: () => undefined,
      clock,
    });
    committer.start();
    await clock.advance(2250);
    expect(sent).toEqual(sentAt);
  });
});
