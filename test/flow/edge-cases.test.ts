import { describe, expect, it } from 'vitest';
import type { DeliveryPlan } from '../../src/deliveries/plan.ts';
import { FanOut, type RecordHandler } from '../../src/pipeline/fan-out.ts';
import { aDelivery, aRecord } from '../support/builders.ts';
import { RecordRun } from '../../src/flow/partition.ts';
import { aFlowControl } from '../support/service/flow-control.ts';
import { aRecordContext } from '../support/service/record-context.ts';
import { ScriptedCursor } from './support/scripted-cursor.ts';
import { TurnClock } from './support/turn-clock.ts';

describe('an exception while a later delivery is created', () => {
  it('fails its record and nothing else', async () => {
    const failed = Promise.withResolvers<unknown>();
    const handler: RecordHandler = {
      pool: 'first',
      begin: async () => Promise.resolve('delivered'),
      settle: () => 'delivered',
      failed: (_record, _context, error) => failed.resolve(error),
    };
    const context = { ...aRecordContext(), end: () => undefined, fail: () => undefined };
    const fanOut = new FanOut({ record: aRecord(), plan: oneAndAnError(), context, handler });
    const clock = new TurnClock();
    const flow = aFlowControl(clock);
    const other = new ScriptedCursor(1);
    new RecordRun(flow.openPartition(), 1).start(fanOut);
    new RecordRun(flow.openPartition(), 1).start(other);
    clock.turnUntilIdle();
    expect(other.started).toHaveLength(1);
    expect(await failed.promise).toEqual(new TypeError('a fault of ours'));
    expect(flow.held.deliveries).toBe(1);
  });
});

describe('a record of an earlier assignment', () => {
  it('is abandoned when it is planned later', () => {
    const clock = new TurnClock();
    const flow = aFlowControl(clock);
    flow.begin(1);
    const record = new RecordRun(flow.openPartition(), 1);
    flow.begin(1);
    const cursor = new ScriptedCursor(1);
    record.start(cursor);
    clock.turnUntilIdle();
    expect([cursor.isAbandoned, cursor.started.length]).toEqual([true, 0]);
  });
});

describe('a partition with many records that wait for their start', () => {
  it('may be read on as soon as enough of them have started', () => {
    const clock = new TurnClock();
    const flow = aFlowControl(clock, { window: 200, maxPending: 4 });
    const partition = flow.openPartition();
    // The first record takes all starts of the turn, so that the others wait for the next one.
    new RecordRun(partition, 1).start(new ScriptedCursor(32, { ownerId: 'first' }));
    for (const ownerId of ['a', 'b', 'c']) new RecordRun(partition, 1).start(new ScriptedCursor(1, { ownerId }));
    expect(partition.pausedBy(0)).toBe('turn');
    let calls = 0;
    flow.onceReleased(() => void (calls += 1));
    clock.turnUntilIdle();
    expect([partition.pausedBy(0), calls]).toEqual([undefined, 1]);
  });
});

function oneAndAnError(): DeliveryPlan {
  let created = 0;
  return {
    ownerId: 'owner',
    next: () => {
      created += 1;
      if (created > 1) throw new TypeError('a fault of ours');
      return aDelivery();
    },
  };
}
