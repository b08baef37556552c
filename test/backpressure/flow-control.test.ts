import { describe, expect, it } from 'vitest';
import type { FlowControl } from '../../src/backpressure/flow-control.ts';
import type { FlowLimits } from '../../src/backpressure/limits.ts';
import type { PartitionFlow } from '../../src/backpressure/partition-flow.ts';
import { aFlowControl } from '../support/service/flow-control.ts';
import { ScriptedCursor } from './scripted-cursor.ts';
import { TurnClock } from './turn-clock.ts';

function begin(partitions: number, limits: Partial<FlowLimits> = {}) {
  const clock = new TurnClock();
  const flow = aFlowControl(clock, limits);
  flow.begin(partitions);
  return { clock, flow, partitions: Array.from({ length: partitions }, () => flow.openPartition()) };
}

/** Starts a record of so many deliveries in a partition. */
function start(partition: PartitionFlow | undefined, deliveries = 1): ScriptedCursor {
  const cursor = new ScriptedCursor(deliveries);
  partition?.hold(1).start(cursor);
  return cursor;
}

function endAll({ started }: ScriptedCursor): void {
  for (const delivery of started.splice(0)) delivery.end();
}

describe('a record for 10,000 webhooks', () => {
  it('starts in steps of 32 a turn', () => {
    const { clock, partitions } = begin(1);
    const large = start(partitions[0], 10_000);
    const steps = [large.started.length];
    for (let turn = 0; turn < 3; turn += 1) {
      clock.turn();
      steps.push(large.started.length);
    }
    expect(steps).toEqual([32, 64, 96, 128]);
    clock.turnUntilIdle();
    expect(large.started).toHaveLength(10_000);
  });

  it('delays a single delivery of another partition by one turn', () => {
    const { clock, partitions } = begin(2);
    start(partitions[0], 10_000);
    const single = start(partitions[1]);
    expect(single.started).toEqual([]);
    clock.turn();
    expect(single.started).toHaveLength(1);
  });

  it('leaves steps to as many partitions as there are steps in a turn', () => {
    const { clock, partitions } = begin(32);
    start(partitions[0], 10_000);
    const singles = partitions.slice(1).map((partition) => start(partition));
    clock.turn();
    expect(singles.map(({ started }) => started.length)).toEqual(singles.map(() => 1));
  });

  it('leaves deliveries to the other partitions, although its own wait for suspect endpoints', () => {
    const { clock, partitions, flow } = begin(3, { window: 272, maxDeliveries: 1000 });
    const cursors = partitions.map((partition) => {
      const cursor = new ScriptedCursor(10_000, { onStart: (delivery) => delivery.markWaiting() });
      partition.hold(1).start(cursor);
      clock.turnUntilIdle();
      return cursor.started.length;
    });
    expect(cursors).toEqual([500, 250, 125]);
    expect(flow.held.deliveries).toBe(875);
  });
});

describe('a partition that waits for its share of the deliveries', () => {
  it('starts more once another partition has ended some', () => {
    const { clock, partitions } = begin(2, { maxDeliveries: 8 });
    const one = start(partitions[0], 4);
    const other = start(partitions[1], 4);
    expect([one.started.length, other.started.length]).toEqual([4, 2]);
    endAll(one);
    clock.turnUntilIdle();
    expect(other.started).toHaveLength(4);
  });

  it('starts more once a partition of an earlier assignment has ended some', () => {
    const { clock, flow, partitions } = begin(1, { maxDeliveries: 8 });
    const earlier = start(partitions[0], 4);
    flow.begin(1);
    const later = start(flow.openPartition(), 4);
    expect(later.started).toHaveLength(2);
    endAll(earlier);
    clock.turnUntilIdle();
    expect(later.started).toHaveLength(4);
  });
});

describe('what was released', () => {
  /** Returns a flow control with one partition that holds all records, and the number of calls. */
  function paused(): { flow: FlowControl; clock: TurnClock; calls: () => number; release: () => void } {
    const { clock, flow, partitions } = begin(1, { maxRecords: 2 });
    const held = partitions[0]?.hold(1);
    let calls = 0;
    flow.onceReleased(() => {
      calls += 1;
    });
    return { flow, clock, calls: () => calls, release: () => held?.release() };
  }

  it('is told in the next turn, once', () => {
    const { clock, calls, release } = paused();
    clock.turnUntilIdle();
    expect(calls()).toBe(0);
    release();
    expect(calls()).toBe(0);
    clock.turnUntilIdle();
    expect(calls()).toBe(1);
  });

  it('is told once for many changes in one turn, and not again before it is asked for', () => {
    const { flow, clock, calls, release } = paused();
    const partition = flow.openPartition();
    release();
    for (let record = 0; record < 100; record += 1) partition.hold(1).release();
    clock.turnUntilIdle();
    for (let record = 0; record < 100; record += 1) partition.hold(1).release();
    clock.turnUntilIdle();
    expect(calls()).toBe(1);
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

describe('a new assignment', () => {
  it('abandons what earlier ones have not started, begun or not', () => {
    const { clock, flow, partitions } = begin(2, { window: 6 });
    const cursors = partitions.flatMap((partition) => [start(partition, 5), start(partition, 5)]);
    flow.begin(2);
    clock.turnUntilIdle();
    expect(cursors.map(({ isAbandoned }) => isAbandoned)).toEqual([true, true, true, true]);
    expect(cursors.map(({ started }) => started.length)).toEqual([3, 0, 3, 0]);
  });

  it('counts what earlier ones still hold', () => {
    const { flow, partitions } = begin(1);
    const record = partitions[0]?.hold(10);
    const { started } = start(partitions[0], 2);
    flow.begin(1);
    expect(flow.held).toEqual({ records: 2, pending: 0, deliveries: 2, bytes: 11 });
    for (const delivery of started) delivery.end();
    record?.release();
    expect(flow.held).toEqual({ records: 1, pending: 0, deliveries: 0, bytes: 1 });
  });

  it('starts deliveries again after a drain', () => {
    const { flow, partitions } = begin(1);
    flow.drain();
    expect(start(partitions[0]).isAbandoned).toBe(true);
    flow.begin(1);
    expect(start(flow.openPartition()).started).toHaveLength(1);
  });

  it('divides the limits among its partitions where they are shared equally', () => {
    const { flow } = begin(1, { maxRecords: 24, sharedEqually: true });
    const mostOf = (partitions: number): number => {
      flow.begin(partitions);
      const partition = flow.openPartition();
      const held = [];
      while (partition.pausedBy(0) === undefined) {
        const record = partition.hold(1);
        record.noteHold(1);
        held.push(record);
      }
      for (const record of held) record.release();
      return held.length;
    };
    expect([1, 3, 12, 100].map(mostOf)).toEqual([12, 4, 2, 2]);
  });
});
