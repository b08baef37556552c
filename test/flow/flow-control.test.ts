import { describe, expect, it } from 'vitest';
import type { FlowLimits } from '../../src/flow/limits.ts';
import { RecordRun, type PartitionFlow } from '../../src/flow/partition.ts';
import { aFlowControl } from '../support/service/flow-control.ts';
import { ScriptedCursor } from './support/scripted-cursor.ts';
import { TurnClock } from './support/turn-clock.ts';

function begin(partitions: number, limits: Partial<FlowLimits> = {}) {
  const clock = new TurnClock();
  const flow = aFlowControl(clock, limits);
  flow.begin(partitions);
  return { clock, flow, partitions: Array.from({ length: partitions }, () => flow.openPartition()) };
}

/** Starts a record of so many deliveries in a partition. */
function start(partition: PartitionFlow | undefined, deliveries = 1, ownerId = 'owner'): ScriptedCursor {
  const cursor = new ScriptedCursor(deliveries, { ownerId });
  if (partition !== undefined) new RecordRun(partition, 1).start(cursor);
  return cursor;
}

function endAll({ started }: ScriptedCursor): void {
  for (const delivery of started.splice(0)) delivery.end();
}

describe('a record for 10,000 webhooks', () => {
  it('delays a single delivery of another partition by one turn', () => {
    const { clock, partitions } = begin(2);
    start(partitions[0], 10_000);
    const single = start(partitions[1]);
    expect(single.started).toEqual([]);
    clock.turn();
    expect(single.started).toHaveLength(1);
  });
});

describe('what was released', () => {
  it('is told once for many changes in one turn, and not again before it is asked for', () => {
    const { clock, flow, partitions } = begin(1, { maxRecords: 2 });
    const held = partitions[0] && new RecordRun(partitions[0], 1);
    let calls = 0;
    flow.onceReleased(() => void (calls += 1));
    held?.release();
    const partition = flow.openPartition();
    for (let record = 0; record < 100; record += 1) new RecordRun(partition, 1).release();
    clock.turnUntilIdle();
    for (let record = 0; record < 100; record += 1) new RecordRun(partition, 1).release();
    clock.turnUntilIdle();
    expect(calls).toBe(1);
  });

  it('takes no turn while nobody waits for it', () => {
    const { clock, partitions } = begin(1);
    endAll(start(partitions[0], 3));
    expect(clock.turn()).toBe(false);
  });

  it('is looked for in the next turn on request', () => {
    const { clock, flow } = begin(1);
    let calls = 0;
    const ask = (): void => {
      flow.onceReleased(() => {
        calls += 1;
        if (calls < 10) ask();
      });
    };
    ask();
    for (const time of [1, 2, 3]) {
      flow.recheckInNextTurn();
      flow.recheckInNextTurn();
      expect(calls).toBe(time - 1);
      clock.turnUntilIdle();
      expect(calls).toBe(time);
    }
  });
});

it('the drain abandons the records that have not begun, and starts the rest of those that have', () => {
  const { clock, flow, partitions } = begin(1, { window: 6 });
  const [begun, waiting, other] = [start(partitions[0], 5), start(partitions[0], 5), start(partitions[0], 5, 'other')];
  flow.drain();
  expect([begun, waiting, other].map(({ isAbandoned }) => isAbandoned)).toEqual([false, true, false]);
  for (let count = 0; count < 5; count += 1) {
    begun.started[count]?.end();
    other.started[count]?.end();
    clock.turnUntilIdle();
  }
  expect([begun, waiting, other].map(({ started }) => started.length)).toEqual([5, 0, 5]);
});

it('a partition is paused by span when its commit is too far behind its newest record', () => {
  const partition = begin(1, { maxSpan: 1000 }).partitions[0];
  expect([partition?.pausedBy(999), partition?.pausedBy(1000)]).toEqual([undefined, 'span']);
});

it('a record starts its deliveries once and ends once, so that no other record is counted for it', () => {
  const flow = aFlowControl(new TurnClock());
  const partition = flow.openPartition();
  const record = new RecordRun(partition, 7);
  record.start(new ScriptedCursor(1));
  expect(() => record.start(new ScriptedCursor(1))).toThrow('that is planned');
  record.release();
  expect(() => record.release()).toThrow('that has ended');
  expect(() => record.start(new ScriptedCursor(1))).toThrow('that is ended');
  expect(partition.counts).toMatchObject({ records: 0, bytes: 0 });
});
