import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

describe('the system clock', () => {
  it('waits zero milliseconds without a timeout, which would take at least one', async () => {
    const before = timeouts();
    const { promise, resolve } = Promise.withResolvers<string>();
    systemClock.after(0, () => resolve('ran'));
    expect(timeouts()).toBe(before);
    expect(await promise).toBe('ran');
  });

  it('cancels a call that was planned for the next turn', async () => {
    const ran: string[] = [];
    systemClock.after(0, () => ran.push('cancelled'))[Symbol.dispose]();
    await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    expect(ran).toEqual([]);
  });
});

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
