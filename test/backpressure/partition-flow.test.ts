import { describe, expect, it } from 'vitest';
import type { FlowLimits } from '../../src/backpressure/limits.ts';
import type { PartitionFlow } from '../../src/backpressure/partition-flow.ts';
import { pauseReasons, type PauseReason } from '../../src/backpressure/pause-reason.ts';
import { aFlowControl } from '../support/service/flow-control.ts';
import { ScriptedCursor } from './scripted-cursor.ts';
import { TurnClock } from './turn-clock.ts';

function open(limits: Partial<FlowLimits> = {}) {
  const clock = new TurnClock();
  const flow = aFlowControl(clock, limits);
  const partition = flow.openPartition();
  return { clock, flow, partition };
}

/** Starts a record of so many deliveries. */
function start(partition: PartitionFlow, deliveries = 1): ScriptedCursor {
  const cursor = new ScriptedCursor(deliveries);
  partition.hold(1).start(cursor);
  return cursor;
}

interface Pause {
  readonly reason: PauseReason;
  readonly when: string;
  readonly limits: Partial<FlowLimits>;
  /** Brings the partition to the limit. Returns what takes it below. */
  readonly reach: (partition: PartitionFlow) => () => void;
}

const pauses: readonly Pause[] = [
  {
    reason: 'window',
    when: 'as many records are being planned as the window has room for',
    limits: { window: 2 },
    reach: (partition) => {
      const [record] = [partition.hold(1), partition.hold(1)];
      return () => record.endPlanning();
    },
  },
  {
    reason: 'window',
    when: 'as many deliveries are active as the window has room for',
    limits: { window: 2 },
    reach: (partition) => {
      const { started } = start(partition, 2);
      return () => started[0]?.markWaiting();
    },
  },
  {
    reason: 'turn',
    when: 'a record has deliveries that start in a later turn',
    limits: {},
    reach: (partition) => {
      start(partition, 33);
      // The next turn comes.
      return () => undefined;
    },
  },
  {
    reason: 'waiting_room',
    when: 'a delivery is outside a full waiting room',
    limits: {},
    reach: (partition) => {
      const { started } = start(partition, 2);
      for (const delivery of started) delivery.markOutsideRoom(true);
      started[0]?.markOutsideRoom(false);
      return () => started[1]?.markOutsideRoom(false);
    },
  },
  {
    reason: 'deliveries',
    when: 'it holds as many deliveries as are left for all',
    limits: { maxDeliveries: 4 },
    reach: (partition) => {
      const { started } = start(partition, 2);
      for (const delivery of started) delivery.markWaiting();
      return () => started[0]?.end();
    },
  },
  {
    reason: 'records',
    when: 'it holds as many records as are left for all',
    limits: { maxRecords: 4 },
    reach: (partition) => {
      const [record] = [partition.hold(1), partition.hold(1)];
      return () => record.release();
    },
  },
  {
    reason: 'bytes',
    when: 'its records have as many bytes as are left for all',
    limits: { maxBytes: 100 },
    reach: (partition) => {
      const [record] = [partition.hold(20), partition.hold(30)];
      return () => record.release();
    },
  },
];

describe('a partition', () => {
  it.each(pauses)('is paused by $reason when $when', ({ reason, limits, reach }) => {
    const { clock, partition } = open(limits);
    expect(partition.pausedBy(0)).toBeUndefined();
    const ease = reach(partition);
    expect(partition.pausedBy(0)).toBe(reason);
    ease();
    clock.turnUntilIdle();
    expect(partition.pausedBy(0)).toBeUndefined();
  });

  it('is paused by span when its commit is too far behind its newest record', () => {
    const { partition } = open({ maxSpan: 1000 });
    expect([partition.pausedBy(999), partition.pausedBy(1000)]).toEqual([undefined, 'span']);
  });

  it('has a test for each reason but those of records that can not be read', () => {
    const tested = new Set([...pauses.map(({ reason }) => reason), 'span']);
    expect(pauseReasons.filter((reason) => !tested.has(reason))).toEqual(['schema', 'undecodable']);
  });

  it('names the waiting room before the window, and both before what all partitions hold', () => {
    const { clock, partition } = open({ window: 2, maxDeliveries: 2, maxRecords: 2, maxBytes: 2, maxSpan: 2 });
    const record = partition.hold(2);
    partition.hold(2);
    const cursor = new ScriptedCursor(1);
    record.start(cursor);
    const [delivery] = cursor.started;
    delivery?.markOutsideRoom(true);
    const reasons = [partition.pausedBy(2)];
    delivery?.markOutsideRoom(false);
    reasons.push(partition.pausedBy(2));
    delivery?.markWaiting();
    reasons.push(partition.pausedBy(2));
    delivery?.end();
    clock.turnUntilIdle();
    reasons.push(partition.pausedBy(2), partition.pausedBy(0));
    expect(reasons).toEqual(['waiting_room', 'window', 'deliveries', 'span', 'records']);
  });
});

describe('the deliveries of a partition', () => {
  it('start in the order in which their records were planned', () => {
    const { clock, partition } = open({ window: 3 });
    const order: string[] = [];
    const records = ['a', 'b', 'c'].map((name) => ({ name, held: partition.hold(1) }));
    const cursors = records.toReversed().map(({ name, held }) => {
      const cursor = new ScriptedCursor(2, () => order.push(name));
      held.start(cursor);
      return cursor;
    });
    for (let round = 0; round < 4; round += 1) {
      clock.turnUntilIdle();
      for (const { started } of cursors) for (const delivery of started.splice(0)) delivery.end();
    }
    expect(order.join('')).toBe('ccbbaa');
  });

  it('start while fewer are active than the window has room for', () => {
    const { clock, partition } = open({ window: 4 });
    const { started } = start(partition, 10);
    expect(started).toHaveLength(4);
    started[3]?.end();
    started[0]?.markWaiting();
    clock.turnUntilIdle();
    expect(started).toHaveLength(6);
  });

  it('leave the window once, however often they are marked', () => {
    const { clock, partition } = open({ window: 4 });
    const { started } = start(partition, 10);
    started[0]?.markWaiting();
    started[0]?.markWaiting();
    started[0]?.end();
    clock.turnUntilIdle();
    expect(started).toHaveLength(5);
  });

  it('wait while one of them is outside a waiting room, although the window has room', () => {
    const { clock, partition } = open({ window: 4 });
    const first = start(partition);
    first.started[0]?.markOutsideRoom(true);
    const later = start(partition);
    clock.turnUntilIdle();
    expect(later.started).toEqual([]);
    first.started[0]?.markOutsideRoom(false);
    clock.turnUntilIdle();
    expect(later.started).toHaveLength(1);
  });

  it('go on after one ends outside a waiting room', () => {
    const { clock, partition } = open();
    const first = start(partition);
    first.started[0]?.markOutsideRoom(true);
    const later = start(partition);
    first.started[0]?.end();
    clock.turnUntilIdle();
    expect(later.started).toHaveLength(1);
  });

  it('count as one for their record until it is planned', () => {
    const { clock, partition } = open({ window: 3 });
    const [one, , unclaimed] = [partition.hold(1), partition.hold(1), partition.hold(1)];
    const cursor = new ScriptedCursor(5);
    one?.start(cursor);
    expect(cursor.started).toHaveLength(1);
    unclaimed?.release();
    clock.turnUntilIdle();
    expect(cursor.started).toHaveLength(2);
  });

  it('are not created before they start', () => {
    const { partition } = open({ window: 2 });
    const cursor = new ScriptedCursor(10_000);
    partition.hold(1).start(cursor);
    expect([cursor.started.length, cursor.hasNext]).toEqual([2, true]);
  });
});

describe('the drain', () => {
  it('abandons the records that have not begun, and starts the rest of the one that has', () => {
    const { clock, flow, partition } = open({ window: 2 });
    const [begun, waiting] = [start(partition, 5), start(partition, 5)];
    flow.drain();
    expect([begun.isAbandoned, waiting.isAbandoned]).toEqual([false, true]);
    for (let count = 0; count < 5; count += 1) {
      begun.started[count]?.end();
      clock.turnUntilIdle();
    }
    expect([begun.started.length, waiting.started.length]).toEqual([5, 0]);
  });

  it('abandons the first record as well when nothing of it has started', () => {
    const { flow, partition } = open({ window: 1 });
    const active = start(partition);
    const waiting = start(partition, 5);
    flow.drain();
    expect([active.isAbandoned, waiting.isAbandoned]).toEqual([false, true]);
  });

  it('abandons the records that are planned after it', () => {
    const { clock, flow, partition } = open();
    const record = partition.hold(1);
    flow.drain();
    const cursor = new ScriptedCursor(2);
    record.start(cursor);
    clock.turnUntilIdle();
    expect([cursor.isAbandoned, cursor.started.length]).toEqual([true, 0]);
  });
});
