import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

describe('the system clock', () => {
  it('waits for the next turn when there is no time to wait, without a timeout, which is a millisecond at least', async () => {
    const before = timeouts();
    const { promise, resolve } = Promise.withResolvers<string>();
    systemClock.after(0, () => resolve('ran'));
    expect(timeouts()).toBe(before);
    expect(await promise).toBe('ran');
  });

  it('calls off what was to run in the next turn', async () => {
    const ran: string[] = [];
    systemClock.after(0, () => ran.push('called off'))[Symbol.dispose]();
    await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    expect(ran).toEqual([]);
  });
});

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
