import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { aBatch, aGate, startAdmission } from '../support/scripted-admission.ts';

describe('Admission', () => {
  it('hands records on without waiting, and commits up to the first that is not settled', async () => {
    const parts = startAdmission();
    expect(parts.admission.admitBatch(aBatch(10, 4))).toBe('13');
    await parts.settle(11, 'delivered');
    await parts.settle(10, 'retried');
    expect(parts.position()).toBe('12');
  });

  it('admits no more than the limits allow, and the rest before anything else is read', async () => {
    const parts = startAdmission({ maxRecords: 2 });
    expect(parts.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(parts.offsets()).toEqual([10, 11]);
    expect(parts.turned).toEqual(['pause completed/0']);
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([11, 12]);
    expect(parts.turned).toEqual(['pause completed/0']);
    await parts.settle(11, 'delivered');
    expect(parts.offsets()).toEqual([12, 13]);
    expect(parts.position()).toBe('12');
    await parts.settle(12, 'delivered');
    expect(parts.turned.at(-1)).toBe('resume completed/0');
    await parts.settle(13, 'delivered');
    expect(parts.position()).toBe('14');
  });

  it('commits beyond the end of a batch only when the rest of it is settled', async () => {
    const parts = startAdmission({ maxRecords: 1 });
    const batch = aBatch(10, 2);
    // Behind its last record are some that compaction took away.
    expect(parts.admission.admitBatch({ ...batch, lastOffset: () => '19' })).toBe('19');
    await parts.settle(10, 'delivered');
    expect(parts.position()).toBe('11');
    await parts.settle(11, 'delivered');
    expect(parts.position()).toBe('20');
  });

  it('takes in nothing else of a partition before the rest of a batch', async () => {
    const parts = startAdmission({ maxRecords: 1 });
    parts.admission.admitBatch(aBatch(10, 2));
    expect(parts.admission.admitBatch(aBatch(12, 2))).toBeUndefined();
    parts.admission.skipTo('completed', 0, 14);
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([11]);
  });

  it('takes in so many at a time, and goes on with the rest of a batch a moment later', async () => {
    const { admission, clock, handled, turned } = startAdmission();
    expect(admission.admitBatch(aBatch(0, 50))).toBe('49');
    expect(handled).toHaveLength(32);
    expect(turned).toEqual(['pause completed/0']);
    await clock.advance(5);
    expect(handled).toHaveLength(50);
    expect(turned).toEqual(['pause completed/0', 'resume completed/0']);
  });

  it('keeps the rest of batches up to a bound, and has what is beyond it fetched again', async () => {
    const parts = startAdmission({ maxRecords: 1 });
    expect(parts.admission.admitBatch(aBatch(10, 2, 0, 7 * 1024 * 1024))).toBe('11');
    expect(parts.admission.admitBatch(aBatch(20, 2, 1, 2 * 1024 * 1024))).toBeUndefined();
    await parts.settle(10, 'delivered');
    await parts.settle(11, 'delivered');
    expect(parts.turned.slice(2)).toEqual(['resume completed/0']);
    await parts.clock.advance(50);
    expect(parts.turned.slice(3)).toEqual(['resume completed/1']);
    expect(parts.admission.admitBatch(aBatch(20, 2, 1, 2 * 1024 * 1024))).toBe('21');
    expect(parts.offsets()).toEqual([20]);
  });

  it('takes in nothing of the rest once reading has ended', async () => {
    const parts = startAdmission({ maxRecords: 1 });
    parts.admission.admitBatch(aBatch(10, 2));
    parts.stopReading();
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([]);
    expect(parts.turned).toEqual(['pause completed/0']);
  });

  it('forgets the rest of a batch of another log', async () => {
    const parts = startAdmission({ maxRecords: 1 });
    parts.admission.admitBatch(aBatch(10, 2));
    parts.admission.restart('completed', 0, 0);
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([]);
    expect(parts.turned.at(-1)).toBe('resume completed/0');
    expect(parts.admission.admitBatch(aBatch(0, 1))).toBe('0');
  });

  it('leaves room for another partition, however much there is to read in one', async () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(0, 1000));
    await parts.clock.advance(50);
    expect(parts.handled).toHaveLength(75);
    expect(parts.turned).toEqual(['pause completed/0']);
    parts.admission.admitBatch(aBatch(0, 5, 1));
    expect(parts.handled).toHaveLength(80);
    expect(parts.turned).toEqual(['pause completed/0']);
  });

  it('goes on with every partition a moment after the limit they share has eased', async () => {
    const parts = startAdmission({ maxRecords: 2 });
    parts.admission.admitBatch(aBatch(10, 2));
    parts.admission.admitBatch(aBatch(20, 1, 1));
    expect(parts.turned).toEqual(['pause completed/0', 'pause completed/1']);
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([11]);
    await parts.clock.advance(10);
    expect(parts.offsets()).toEqual([11, 20]);
    await parts.settle(11, 'delivered');
    expect(parts.turned.slice(2)).toEqual(['resume completed/0']);
    await parts.clock.advance(10);
    expect(parts.turned.slice(3)).toEqual(['resume completed/1']);
  });

  it('goes on with a partition that waits for its commit once that was taken', async () => {
    const parts = startAdmission({ maxSpan: 2 });
    parts.admission.admitBatch(aBatch(10, 2));
    await parts.settle(10, 'delivered');
    await parts.settle(11, 'delivered');
    expect(parts.turned).toEqual(['pause completed/0']);
    parts.admission.assignment.toCommit(0)?.confirm();
    parts.admission.resumeEased();
    expect(parts.turned.slice(1)).toEqual(['resume completed/0']);
  });

  it('reads on by itself once the process is no longer behind', async () => {
    let timesEnough = 1;
    const { admission, clock, turned, handled } = startAdmission({ timesEnough: () => timesEnough });
    admission.admitBatch(aBatch(0, 50));
    await clock.advance(50);
    expect(handled).toHaveLength(32);
    expect(turned).toEqual(['pause completed/0']);
    timesEnough = 0;
    await clock.advance(50);
    expect(handled).toHaveLength(50);
    expect(turned).toEqual(['pause completed/0', 'resume completed/0']);
  });

  it('reads on also when the process fell behind at the very moment in which it was looked at', async () => {
    let answers = Array.from({ length: 100 }, () => 0);
    const { admission, clock, handled } = startAdmission({ timesEnough: () => answers.shift() ?? 1 });
    admission.admitBatch(aBatch(0, 50));
    expect(handled).toHaveLength(32);
    answers = [0];
    await clock.advance(5);
    expect(handled).toHaveLength(32);
    answers = Array.from({ length: 1000 }, () => 0);
    await clock.advance(5);
    expect(handled).toHaveLength(50);
  });

  it('reads on behind records that wait for their endpoints, also while the process is behind', async () => {
    const { admission, clock, turned, handled } = startAdmission({ timesEnough: () => 1, maxRecords: 1000 });
    admission.admitBatch(aBatch(0, 96));
    await clock.advance(900);
    expect(handled).toHaveLength(32);
    await clock.advance(100);
    expect(handled).toHaveLength(64);
    expect(turned).toEqual(['pause completed/0']);
    // By then what was taken in from the rest waits for its endpoints, too.
    await clock.advance(1100);
    expect(handled).toHaveLength(96);
    await clock.advance(1100);
    expect(turned).toEqual(['pause completed/0', 'resume completed/0']);
  });

  it('takes nothing of a partition that is not assigned', () => {
    const parts = startAdmission();
    expect(parts.admission.admitBatch(aBatch(10, 1, 7))).toBeUndefined();
    expect(parts.handled).toHaveLength(0);
  });

  it('skips what it has admitted already', () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(10, 2));
    expect(parts.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(parts.handled.map(({ offset }) => offset)).toEqual([10, 11, 12, 13]);
  });

  it('lets what settles late change nothing of the next assignment', async () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(10, 1));
    parts.admission.begin(new Assignment({ completed: [0] }));
    parts.admission.admitBatch(aBatch(10, 1));
    await parts.settle(10, 'delivered');
    expect(parts.position()).toBeUndefined();
    expect(parts.admission.inFlight.count).toBe(1);
  });

  it('leaves an abandoned record unsettled', async () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(10, 2));
    await parts.settle(10, 'abandoned');
    await parts.settle(11, 'delivered');
    expect(parts.position()).toBe('10');
  });

  it('passes over what an earlier assignment settled, and keeps it settled', async () => {
    const parts = startAdmission();
    parts.admission.begin(new Assignment({ completed: [0] }, { settledBefore: () => [{ start: 11, end: 13 }] }));
    expect(parts.admission.admitBatch(aBatch(10, 4))).toBe('13');
    expect(parts.handled.map(({ offset }) => offset)).toEqual([10, 13]);
    expect(parts.skipped).toEqual(['completed 2']);
    await parts.settle(10, 'delivered');
    expect(parts.position()).toBe('13');
  });

  it('begins anew where the log is another one, and goes on where only its beginning is gone', async () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(10, 1));
    parts.admission.restart('completed', 0, 50);
    await parts.settle(10, 'delivered');
    expect(parts.position()).toBe('11');
    parts.admission.restart('completed', 0, 0);
    parts.admission.admitBatch(aBatch(0, 1));
    await parts.settle(0, 'delivered');
    expect(parts.position()).toBe('1');
  });

  it('stops when a record can be neither settled nor buried', async () => {
    const parts = startAdmission();
    parts.admission.admitBatch(aBatch(10, 1));
    await parts.fail(10, new Error('no way'));
    expect(parts.broken.map(({ message }) => message)).toEqual(['a record can be neither settled nor buried']);
    expect(parts.position()).toBeUndefined();
  });
});

describe('a record that can not be read yet', () => {
  it('makes its own partition stand still, goes on in time, and holds nothing else up', async () => {
    const gate = aGate(11);
    const parts = startAdmission(gate);
    parts.admission.admitBatch(aBatch(10, 3));
    expect(parts.offsets()).toEqual([10]);
    expect(parts.turned).toEqual(['pause completed/0']);
    expect(parts.admission.admitBatch(aBatch(20, 2, 1))).toBe('21');
    await parts.settle(10, 'delivered');
    expect(parts.position()).toBe('11');
    expect(parts.turned).toEqual(['pause completed/0']);
    await gate.open();
    expect(parts.offsets()).toEqual([20, 21, 11, 12]);
    expect(parts.turned.at(-1)).toBe('resume completed/0');
  });

  it('takes up none of what may be held', async () => {
    const gate = aGate(10);
    const parts = startAdmission({ ...gate, maxRecords: 2 });
    parts.admission.admitBatch(aBatch(10, 2));
    expect(parts.admission.inFlight.count).toBe(0);
    expect(parts.admission.admitBatch(aBatch(20, 2, 1))).toBe('21');
    await parts.settle(20, 'delivered');
    await parts.settle(21, 'delivered');
    expect(parts.turned).toEqual(['pause completed/0', 'pause completed/1', 'resume completed/1']);
    await gate.open();
    expect(parts.offsets()).toEqual([10, 11]);
    await parts.settle(10, 'delivered');
    expect(parts.turned.at(-1)).toBe('resume completed/0');
  });

  it('is waited for, and then for the limits', async () => {
    const gate = aGate(11);
    const parts = startAdmission({ ...gate, maxRecords: 1 });
    parts.admission.admitBatch(aBatch(10, 2));
    await gate.open();
    expect(parts.turned).toEqual(['pause completed/0']);
    expect(parts.offsets()).toEqual([10]);
    await parts.settle(10, 'delivered');
    expect(parts.offsets()).toEqual([11]);
  });

  it('is not waited for in another assignment', async () => {
    const gate = aGate(10);
    const parts = startAdmission(gate);
    parts.admission.admitBatch(aBatch(10, 1));
    parts.admission.begin(new Assignment({ completed: [0] }));
    parts.admission.admitBatch(aBatch(10, 1));
    expect(parts.turned).toEqual(['pause completed/0', 'pause completed/0']);
    await gate.open();
    expect(parts.turned).toEqual(['pause completed/0', 'pause completed/0', 'resume completed/0']);
  });

  it('keeps nobody from leaving', async () => {
    const gate = aGate(10);
    const parts = startAdmission(gate);
    parts.admission.admitBatch(aBatch(10, 1));
    await parts.admission.inFlight.empty();
    parts.admission.assignment.revoke();
    await gate.open();
    expect(parts.turned).toEqual(['pause completed/0']);
  });
});
