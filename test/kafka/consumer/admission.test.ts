import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { GroupCommits } from '../../../src/kafka/consumer/commits/group-commits.ts';
import { ScriptedCursor } from '../../flow/support/scripted-cursor.ts';
import { aBatch, startAdmission, unreadableAt } from '../support/scripted-admission.ts';

describe('Admission', () => {
  it('admits no more than the limits allow, and the other records of the batch before resuming', async () => {
    const setup = startAdmission({ maxRecords: 4 });
    expect(setup.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(setup.offsets()).toEqual([10, 11]);
    expect(setup.calls).toEqual(['pause completed/0']);
    await setup.settle(10, 'delivered');
    expect(setup.offsets()).toEqual([11, 12]);
    expect(setup.calls).toEqual(['pause completed/0']);
    await setup.settle(11, 'delivered');
    expect(setup.offsets()).toEqual([12, 13]);
    expect(setup.position()).toBe('12');
    await setup.settle(12, 'delivered');
    expect(setup.calls.at(-1)).toBe('resume completed/0');
    await setup.settle(13, 'delivered');
    expect(setup.position()).toBe('14');
  });

  it('dates a record by the fetch that told of it, however late it is admitted', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    const fetchedAt = setup.clock.monotonic();
    setup.admission.admitBatch(aBatch(10, 2));
    await setup.clock.advance(60_000);
    await setup.settle(10, 'delivered');
    expect(setup.handled.map(({ offset, context }) => [offset, context.inLogSince])).toEqual([[11, fetchedAt]]);
  });

  it('commits the end of a batch only when all its records are settled', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    const batch = aBatch(10, 2);
    // The records after its last one were compacted away.
    expect(setup.admission.admitBatch({ ...batch, lastOffset: () => '19' })).toBe('19');
    await setup.settle(10, 'delivered');
    expect(setup.position()).toBe('11');
    await setup.settle(11, 'delivered');
    expect(setup.position()).toBe('20');
  });

  it('refuses later batches of a partition while records of an earlier one are buffered', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    setup.admission.admitBatch(aBatch(10, 2));
    expect(setup.admission.admitBatch(aBatch(12, 2))).toBeUndefined();
    expect(setup.admission.admitBatch({ ...aBatch(12, 0), lastOffset: () => '13' })).toBeUndefined();
    await setup.settle(10, 'delivered');
    expect(setup.offsets()).toEqual([11]);
  });

  it('admits 32 records of a partition in a turn of the event loop, and resumes after the last of the batch', async () => {
    const { admission, clock, handled, calls, pausedBy } = startAdmission({ maxRecords: 1000 });
    for (const partition of [0, 1]) expect(admission.admitBatch(aBatch(0, 100, partition))).toBe('99');
    expect(pausedBy()).toBe('turn');
    const admitted = [handled.length];
    const lookEachTurn = (): void => {
      admitted.push(handled.length);
      if (admitted.length < 5) clock.after(0, lookEachTurn);
    };
    clock.after(0, lookEachTurn);
    await clock.advance(0);
    expect(admitted).toEqual([64, 128, 192, 200, 200]);
    expect(calls.slice(2)).toEqual(['resume completed/0', 'resume completed/1']);
    expect(pausedBy()).toBeUndefined();
  });

  it('buffers records up to a limit, and has records beyond it fetched again', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    expect(setup.admission.admitBatch(aBatch(10, 2, 0, 7 * 1024 * 1024))).toBe('11');
    for (let time = 1; time <= 2; time += 1)
      expect(setup.admission.admitBatch(aBatch(20, 2, 1, 2 * 1024 * 1024))).toBeUndefined();
    await setup.settle(10, 'delivered');
    await setup.settle(11, 'delivered');
    expect(setup.calls.slice(2)).toEqual(['resume completed/0', 'resume completed/1']);
    expect(setup.admission.admitBatch(aBatch(20, 2, 1, 2 * 1024 * 1024))).toBe('21');
    expect(setup.offsets()).toEqual([20]);
  });

  it('buffers as many records of a batch as fit, however small they are', () => {
    const setup = startAdmission({ maxRecords: 1 });
    const last = Number(setup.admission.admitBatch(aBatch(0, 20_000)));
    expect(last).toBeGreaterThan(10_000);
    expect(last).toBeLessThan(11_000);
    expect(setup.admission.admitBatch(aBatch(0, 100, 1))).toBeUndefined();
  });

  it('admits no buffered records once reading has stopped', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    setup.admission.admitBatch(aBatch(10, 2));
    setup.stopReading();
    await setup.settle(10, 'delivered');
    expect(setup.offsets()).toEqual([]);
    expect(setup.calls).toEqual(['pause completed/0']);
  });

  it('forgets the buffered records of an earlier log', async () => {
    const setup = startAdmission({ maxRecords: 1 });
    setup.admission.admitBatch(aBatch(10, 2));
    setup.admission.restart('completed', 0, { from: 12, to: 0 });
    await setup.settle(10, 'delivered');
    expect(setup.offsets()).toEqual([]);
    expect(setup.calls.at(-1)).toBe('resume completed/0');
    expect(setup.admission.admitBatch(aBatch(0, 1))).toBe('0');
  });

  it('resumes a partition that is paused for its span once a commit was accepted', async () => {
    const setup = startAdmission({ maxSpan: 2 });
    setup.admission.admitBatch(aBatch(10, 2));
    await setup.settle(10, 'delivered');
    await setup.settle(11, 'delivered');
    expect(setup.calls).toEqual(['pause completed/0']);
    setup.admission.assignment.toCommit(0)?.confirm();
    setup.admission.resumePaused();
    expect(setup.calls.slice(1)).toEqual(['resume completed/0']);
  });

  it('reads on while the deliveries of one record fill the window, and names it when no more may be read', async () => {
    const { admission, clock, handled, calls, pausedBy } = startAdmission({ window: 4, maxRecords: 4 });
    admission.admitBatch(aBatch(0, 1));
    const cursor = new ScriptedCursor(5);
    handled[0]?.context.start(cursor);
    expect([cursor.started.length, calls]).toEqual([2, []]);
    admission.admitBatch(aBatch(1, 1));
    expect([handled.length, calls, pausedBy()]).toEqual([2, ['pause completed/0'], 'window']);
    for (const delivery of cursor.started) delivery.leaveWindow();
    await clock.advance(0);
    expect([cursor.started.length, pausedBy()]).toEqual([5, 'records']);
  });

  it('admits nothing from a partition that is not assigned', () => {
    const setup = startAdmission();
    expect(setup.admission.admitBatch(aBatch(10, 1, 7))).toBeUndefined();
    expect(setup.handled).toHaveLength(0);
  });

  it('skips records that it has already admitted', () => {
    const setup = startAdmission();
    setup.admission.admitBatch(aBatch(10, 2));
    expect(setup.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(setup.handled.map(({ offset }) => offset)).toEqual([10, 11, 12, 13]);
  });

  it('lets a late result change nothing in the next assignment', async () => {
    const setup = startAdmission();
    setup.admission.admitBatch(aBatch(10, 1));
    const { assignment } = setup.admission;
    setup.admission.begin(new Assignment({ completed: [0] }));
    expect(assignment.revoked).toBe(true);
    setup.admission.admitBatch(aBatch(10, 1));
    await setup.settle(10, 'delivered');
    expect(setup.position()).toBeUndefined();
    expect(setup.admission.inFlight.count).toBe(1);
  });

  it('leaves an abandoned record unsettled', async () => {
    const setup = startAdmission();
    setup.admission.admitBatch(aBatch(10, 2));
    await setup.settle(10, 'abandoned');
    await setup.settle(11, 'delivered');
    expect(setup.position()).toBe('10');
  });

  it('skips records that an earlier assignment settled, and keeps them settled', async () => {
    const setup = startAdmission();
    setup.admission.begin(new Assignment({ completed: [0] }, { commits: settledBefore(11, 13) }));
    expect(setup.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(setup.handled.map(({ offset }) => offset)).toEqual([10, 13]);
    expect(setup.skipped).toEqual(['completed 2']);
    await setup.settle(10, 'delivered');
    expect(setup.position()).toBe('13');
  });

  it('counts what was settled before as neither lost nor unsettled when retention overtakes the commit', async () => {
    const setup = startAdmission();
    setup.admission.begin(new Assignment({ completed: [0] }, { commits: settledBefore(4, 20) }));
    expect(setup.admission.restart('completed', 0, { from: 3, to: 10 })).toBe(1);
    setup.admission.admitBatch(aBatch(10, 11));
    expect(setup.offsets()).toEqual([20]);
    expect(setup.position()).toBe('20');
  });

  it('starts over in another log, and continues if only the start of the log was deleted', async () => {
    const setup = startAdmission();
    setup.admission.admitBatch(aBatch(10, 1));
    expect(setup.admission.restart('completed', 0, { from: 11, to: 50 })).toBe(39);
    await setup.settle(10, 'delivered');
    expect(setup.position()).toBe('11');
    expect(setup.admission.restart('completed', 0, { from: 50, to: 0 })).toBeUndefined();
    setup.admission.admitBatch(aBatch(0, 1));
    await setup.settle(0, 'delivered');
    expect(setup.position()).toBe('1');
  });

  it('reports a record that can be neither settled nor dead-lettered', async () => {
    const setup = startAdmission();
    setup.admission.admitBatch(aBatch(10, 1));
    await setup.fail(10, new Error('refused'));
    expect(setup.broken.map(({ message }) => message)).toEqual(['a record can be neither settled nor dead-lettered']);
    expect(setup.position()).toBeUndefined();
  });
});

describe('a record that is not readable yet', () => {
  it('pauses its own partition only, until it is readable', async () => {
    const blocked = unreadableAt(11);
    const setup = startAdmission(blocked);
    setup.admission.admitBatch(aBatch(10, 3));
    expect(setup.offsets()).toEqual([10]);
    expect([setup.calls, setup.pausedBy()]).toEqual([['pause completed/0'], 'schema']);
    expect(setup.admission.admitBatch(aBatch(20, 2, 1))).toBe('21');
    await setup.settle(10, 'delivered');
    expect(setup.position()).toBe('11');
    expect(setup.calls).toEqual(['pause completed/0']);
    await blocked.open();
    expect(setup.offsets()).toEqual([20, 21, 11, 12]);
    expect(setup.calls.at(-1)).toBe('resume completed/0');
  });

  it('may be a whole batch that can not be decoded', async () => {
    const { admission, clock, calls, pausedBy } = startAdmission();
    const decodable = Promise.withResolvers<void>();
    admission.pauseUntil({ topic: 'completed', partition: 0, offset: 10 }, decodable.promise);
    expect(pausedBy()).toBe('undecodable');
    decodable.resolve();
    await clock.advance(0);
    expect(calls).toEqual(['pause completed/0', 'resume completed/0']);
  });

  it('does not count against the limits', async () => {
    const blocked = unreadableAt(10);
    const setup = startAdmission({ ...blocked, maxRecords: 4 });
    setup.admission.admitBatch(aBatch(10, 2));
    expect(setup.admission.inFlight.count).toBe(0);
    expect(setup.admission.admitBatch(aBatch(20, 2, 1))).toBe('21');
    await setup.settle(20, 'delivered');
    await setup.settle(21, 'delivered');
    expect(setup.calls).toEqual(['pause completed/0', 'pause completed/1', 'resume completed/1']);
    await blocked.open();
    expect(setup.offsets()).toEqual([10, 11]);
    await setup.settle(10, 'delivered');
    expect(setup.calls.at(-1)).toBe('resume completed/0');
  });

  it('resumes its partition once if a later assignment waits for it as well', async () => {
    const blocked = unreadableAt(10);
    const setup = startAdmission(blocked);
    setup.admission.admitBatch(aBatch(10, 1));
    setup.admission.begin(new Assignment({ completed: [0] }));
    setup.admission.admitBatch(aBatch(10, 1));
    expect(setup.calls).toEqual(['pause completed/0', 'pause completed/0']);
    await blocked.open();
    expect(setup.calls).toEqual(['pause completed/0', 'pause completed/0', 'resume completed/0']);
  });

  it('does not delay the end of its assignment', async () => {
    const blocked = unreadableAt(10);
    const setup = startAdmission(blocked);
    setup.admission.admitBatch(aBatch(10, 1));
    await setup.admission.inFlight.wait();
    setup.admission.assignment.revoke();
    await blocked.open();
    expect(setup.calls).toEqual(['pause completed/0']);
  });
});

/** A commit of the group with a range of offsets that an earlier assignment settled. */
function settledBefore(start: number, end: number): GroupCommits {
  return new GroupCommits([
    { topic: 'completed', partition: 0, offset: 3, settled: [{ start, end }], mark: undefined },
  ]);
}
