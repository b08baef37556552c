import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

const hourMs = 3_600_000;

describe('the system clock', () => {
  it('waits zero milliseconds without a timeout, which would take at least one', async () => {
    const before = timeouts();
    const { promise, resolve } = Promise.withResolvers<string>();
    systemClock.after(0, () => resolve('ran'));
    expect(timeouts()).toBe(before);
    expect(await promise).toBe('ran');
  });

  it('counts monotonic milliseconds, which have nothing to do with the date', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const before = systemClock.monotonic();
    vi.setSystemTime(hourMs);
    const passedMs = systemClock.monotonic() - before;
    expect(passedMs).toBeGreaterThanOrEqual(0);
    expect(passedMs).toBeLessThan(hourMs);
  });

  it('cancels a call that was planned for the next turn', async () => {
    const ran: string[] = [];
    systemClock.after(0, () => ran.push('cancelled'))[Symbol.dispose]();
    await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    expect(ran).toEqual([]);
  });
});

describe('the manual clock', () => {
  it('keeps its monotonic time and its timers when the wall clock is set back or forward', async () => {
    const clock = new ManualClock(50_000);
    const ran: number[] = [];
    clock.after(100, () => ran.push(clock.now()));
    await clock.advance(40);
    clock.jump(-hourMs);
    expect([clock.now(), clock.monotonic()]).toEqual([50_040 - hourMs, 40]);
    await clock.advance(59);
    expect(ran).toEqual([]);
    clock.jump(2 * hourMs);
    await clock.advance(1);
    expect(ran).toEqual([50_100 + hourMs]);
  });
});

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
