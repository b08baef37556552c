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
function start(partition: PartitionFlow, deliveries = 1, ownerId = 'owner'): ScriptedCursor {
  const cursor = new ScriptedCursor(deliveries, { ownerId });
  partition.hold(1).start(cursor);
  return cursor;
}

interface Pause {
  readonly reason: PauseReason;
  readonly when: string;
  readonly limits: Partial<FlowLimits>;
  /** Starts deliveries before the partition holds as many records as it may. */
  readonly before?: (partition: PartitionFlow) => void;
}

const pauses: readonly Pause[] = [
  {
    reason: 'records',
    when: 'all of its deliveries have started',
    limits: {},
    before: (partition) => start(partition),
  },
  {
    reason: 'window',
    when: 'its window has no room for the next delivery',
    limits: { window: 4 },
    before: (partition) => start(partition, 3),
  },
  {
    reason: 'waiting_room',
    when: 'the next delivery waits for the full waiting room of a healthy endpoint',
    limits: {},
    before: (partition) => {
      const onStart: ScriptedCursor['startNext'] = (delivery) => delivery.markOutsideRoom(true);
      partition.hold(1).start(new ScriptedCursor(2, { onStart }));
    },
  },
  {
    reason: 'deliveries',
    when: 'it holds as many deliveries as are left for all',
    limits: { maxDeliveries: 4 },
    before: (partition) => start(partition, 3),
  },
];

describe('a partition', () => {
  it.each(pauses)(
    'that holds its share of the records is paused by $reason, when $when',
    ({ reason, limits, before }) => {
      const { partition } = open({ maxRecords: 10, ...limits });
      before?.(partition);
      expect(partition.pausedBy(0)).toBeUndefined();
      const records = [1, 2, 3, 4].map(() => partition.hold(1));
      expect(partition.pausedBy(0)).toBe(reason);
      records[0]?.release();
      expect(partition.pausedBy(0)).toBeUndefined();
    },
  );

  it('is paused by bytes when its records have as many bytes as are left for all', () => {
    const { partition } = open({ maxBytes: 100 });
    const [record] = [partition.hold(20), partition.hold(30)];
    expect(partition.pausedBy(0)).toBe('bytes');
    record.release();
    expect(partition.pausedBy(0)).toBeUndefined();
  });

  it('is paused by span when its commit is too far behind its newest record', () => {
    const { partition } = open({ maxSpan: 1000 });
    expect([partition.pausedBy(999), partition.pausedBy(1000)]).toEqual([undefined, 'span']);
  });

  it('has a test here for each reason that is not given by admission', () => {
    const tested = new Set<PauseReason>([...pauses.map(({ reason }) => reason), 'span', 'bytes']);
    expect(pauseReasons.filter((reason) => !tested.has(reason))).toEqual(['schema', 'undecodable', 'turn']);
  });

  it('is read on while its window is full, so that the records of other owners are found', () => {
    const { partition } = open({ window: 4 });
    const large = start(partition, 100, 'large');
    expect(partition.pausedBy(0)).toBeUndefined();
    const other = start(partition, 1, 'other');
    expect([large.started.length, other.started.length]).toEqual([2, 1]);
  });
});

describe('the records that wait for their start', () => {
  it.each([
    { reason: 'window', limits: {} },
    { reason: 'deliveries', limits: { maxDeliveries: 4 } },
  ])('pause their partition by $reason when they are as many as are left for all', ({ reason, limits }) => {
    const { clock, partition } = open({ window: 4, maxPending: 8, ...limits });
    const [first] = [start(partition, 2), start(partition), start(partition), start(partition)];
    expect(partition.pausedBy(0)).toBeUndefined();
    start(partition);
    expect(partition.pausedBy(0)).toBe(reason);
    first.started[0]?.end();
    clock.turnUntilIdle();
    expect(partition.pausedBy(0)).toBeUndefined();
  });
});

describe('the deliveries of an owner', () => {
  it('start in the order in which their records were planned', () => {
    const { clock, partition } = open({ window: 6 });
    const order: string[] = [];
    const records = ['a', 'b', 'c'].map((name) => ({ name, held: partition.hold(1) }));
    const cursors = records.toReversed().map(({ name, held }) => {
      const cursor = new ScriptedCursor(2, { onStart: () => order.push(name) });
      held.start(cursor);
      return cursor;
    });
    for (let round = 0; round < 4; round += 1) {
      clock.turnUntilIdle();
      for (const { started } of cursors) for (const delivery of started.splice(0)) delivery.end();
    }
    expect(order.join('')).toBe('ccbbaa');
  });

  it('start while fewer are active than are left of the window', () => {
    const { clock, partition } = open({ window: 8 });
    const { started } = start(partition, 10);
    expect(started).toHaveLength(4);
    started[3]?.end();
    started[0]?.markWaiting();
    clock.turnUntilIdle();
    expect(started).toHaveLength(6);
  });

  it('of retries leave the window while they need no endpoint, and not while they wait for one', () => {
    const { clock, partition } = open({ window: 8, sharedEqually: true });
    const { started } = start(partition, 10);
    started[0]?.markWaiting();
    clock.turnUntilIdle();
    expect(started).toHaveLength(4);
    started[0]?.markIdle();
    clock.turnUntilIdle();
    expect(started).toHaveLength(5);
  });

  it('of certificates do not leave the window because they need no endpoint', () => {
    const { clock, partition } = open({ window: 8 });
    const { started } = start(partition, 10);
    started[0]?.markIdle();
    clock.turnUntilIdle();
    expect(started).toHaveLength(4);
  });

  it('leave the window once, however often they are marked', () => {
    const { clock, partition } = open({ window: 8 });
    const { started } = start(partition, 10);
    started[0]?.markWaiting();
    started[0]?.markWaiting();
    started[0]?.end();
    clock.turnUntilIdle();
    expect(started).toHaveLength(5);
  });

  it('wait while one of them is outside a waiting room, and those of another owner do not', () => {
    const { clock, partition } = open({ window: 8 });
    const first = start(partition);
    first.started[0]?.markOutsideRoom(true);
    const [later, other] = [start(partition), start(partition, 1, 'other')];
    clock.turnUntilIdle();
    expect([later.started.length, other.started.length]).toEqual([0, 1]);
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

  it('are not created before they start', () => {
    const { partition } = open({ window: 4 });
    const cursor = start(partition, 10_000);
    expect([cursor.started.length, cursor.hasNext]).toEqual([2, true]);
  });
});

describe('the drain', () => {
  it('abandons the records that have not begun, and starts the rest of those that have', () => {
    const { clock, flow, partition } = open({ window: 6 });
    const [begun, waiting, other] = [start(partition, 5), start(partition, 5), start(partition, 5, 'other')];
    flow.drain();
    expect([begun, waiting, other].map(({ isAbandoned }) => isAbandoned)).toEqual([false, true, false]);
    for (let count = 0; count < 5; count += 1) {
      begun.started[count]?.end();
      other.started[count]?.end();
      clock.turnUntilIdle();
    }
    expect([begun, waiting, other].map(({ started }) => started.length)).toEqual([5, 0, 5]);
  });

  it('abandons the first record of an owner as well when nothing of it has started', () => {
    const { flow, partition } = open({ window: 2 });
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
