import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openLoadMeter } from '../../src/backpressure/load-meter.ts';
import type { Load } from '../../src/backpressure/throttle.ts';
import { startThrottling } from '../../src/backpressure/start-throttle.ts';
import { IntakeLimits } from '../../src/backpressure/intake-limits.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

describe('a process that cannot keep up', () => {
  it('has smaller limits within a second, and the configured ones again once it can', async () => {
    const clock = new ManualClock();
    let load: Load = { delayMs: 300, memory: 0.3 };
    const limits = new IntakeLimits({ maxRecords: 7500, maxBytes: 48e6, maxSpan: 50_000, sharedEqually: false });
    const rooms: number[] = [];
    const meter = { read: () => load, [Symbol.dispose]: () => undefined };
    const gates = { shrinkRoomsTo: (fraction: number) => void rooms.push(fraction) };
    using throttling = startThrottling({ meter, limits: [limits], gates, clock });
    await clock.advance(1000);
    expect(limits).toMatchObject({ maxRecords: 3750, maxBytes: 24e6 });
    load = { delayMs: 0, memory: 0.3 };
    await clock.advance(4000);
    expect(limits.maxRecords).toBe(7500);
    expect(rooms).toEqual([0.5, 0.625, 0.75, 0.875, 1]);
    throttling[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});

describe('the load meter', () => {
  it('measures the delay of long turns of the event loop', async () => {
    using meter = openLoadMeter();
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (let turn = 0; turn < 5; turn += 1) {
      await setTimeout(1);
      Atomics.wait(never, 0, 0, 150);
    }
    await setTimeout(1);
    expect(meter.read().delayMs).toBeGreaterThan(100);
  });

  it('measures which part of its memory the process uses', () => {
    using meter = openLoadMeter();
    const { memory } = meter.read();
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThan(1);
  });
});
