import { describe, expect, it } from 'vitest';
import { ProcessClock } from './process-clock.ts';
import { SimulatedClock } from './simulated-clock.ts';

describe('ProcessClock', () => {
  it('runs the tasks that were due during a stall in order', async () => {
    const { globalClock, process, done, after } = startProcess();
    after(10);
    after(20);
    process.stall(100);
    await globalClock.advance(99);
    expect(done).toEqual([]);
    after(0);
    await globalClock.advance(1);
    expect(done).toEqual([10, 20, 0]);
  });

  it('does not run a task that was cancelled during a stall', async () => {
    const { globalClock, process, done, after } = startProcess();
    const timer = after(10);
    process.stall(100);
    await globalClock.advance(50);
    timer[Symbol.dispose]();
    await globalClock.advance(100);
    expect(done).toEqual([]);
  });

  it('runs nothing after a kill', async () => {
    const { globalClock, process, done, after } = startProcess();
    after(10);
    process.stall(5);
    process.kill();
    process.run(() => done.push(0));
    await globalClock.advance(100);
    expect(done).toEqual([]);
  });
});

function startProcess() {
  const globalClock = new SimulatedClock();
  const process = new ProcessClock(globalClock);
  const done: number[] = [];
  return { globalClock, process, done, after: (ms: number) => process.after(ms, () => done.push(ms)) };
}
