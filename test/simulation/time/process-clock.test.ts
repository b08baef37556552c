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

  it('hands over the answers of a stall before it runs the timers', async () => {
    const { globalClock, process, done, after } = startProcess();
    after(10);
    process.stall(100);
    globalClock.after(20, () => process.run(() => done.push(20)));
    await globalClock.advance(100);
    expect(done).toEqual([20, 10]);
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

  it('runs the tasks that became due during work in order, once it is done', async () => {
    const { globalClock, process, times, after } = startProcess();
    process.after(10, () => process.spend(25));
    after(20);
    after(30);
    after(40);
    await globalClock.advance(50);
    expect(times()).toEqual([35, 35, 40]);
  });

  it('works on each kept task in its own turn', async () => {
    const { globalClock, process, times, after } = startProcess();
    const turns: number[] = [];
    const work = (): void => {
      turns.push(process.turn);
      process.spend(5);
    };
    process.spend(10);
    process.run(work);
    process.run(work);
    after(12);
    await globalClock.advance(50);
    expect(turns).toEqual([1, 2]);
    expect(times()).toEqual([20]);
  });

  it('counts work that follows in the same turn', async () => {
    const { globalClock, process, times, after } = startProcess();
    process.run(() => void Promise.resolve().then(() => process.spend(8)));
    after(0);
    await globalClock.advance(50);
    expect(times()).toEqual([8]);
  });

  it('says when a piece of work is done', async () => {
    const { globalClock, process } = startProcess();
    const startedAt = globalClock.now();
    expect([process.spend(3), process.spend(4)]).toEqual([startedAt + 3, startedAt + 7]);
    await globalClock.advance(100);
    expect(process.spend(1)).toBe(startedAt + 101);
  });

  it('does not run a task that was cancelled during work', async () => {
    const { globalClock, process, done, after } = startProcess();
    const timer = after(10);
    process.spend(100);
    await globalClock.advance(50);
    timer[Symbol.dispose]();
    await globalClock.advance(100);
    expect(done).toEqual([]);
  });

  it('runs what waits for its work after a stall', async () => {
    const { globalClock, process, times, after } = startProcess();
    process.spend(20);
    after(10);
    await globalClock.advance(15);
    process.stall(50);
    await globalClock.advance(100);
    expect(times()).toEqual([65]);
  });

  it('keeps its monotonic time and its timers when its wall clock is set', async () => {
    const { globalClock, process, times, after } = startProcess();
    after(10);
    process.jump(-1000);
    await globalClock.advance(10);
    expect(times()).toEqual([10]);
    expect(process.monotonic()).toBe(10);
    expect(process.now()).toBe(globalClock.now() - 1000);
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
  const startedAt = globalClock.now();
  const done: number[] = [];
  const ranAt: number[] = [];
  const after = (ms: number): Disposable =>
    process.after(ms, () => {
      done.push(ms);
      ranAt.push(globalClock.now() - startedAt);
    });
  return { globalClock, process, done, times: () => ranAt, after };
}
