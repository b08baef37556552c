import { describe, expect, it } from 'vitest';
import { DiscoveryPause } from '../../../src/kafka/reader/discovery-pause.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const fault = { error: new Error('a fault') };

describe('the pause between two discoveries', () => {
  it('ends after a second', async () => {
    const clock = new ManualClock();
    const pause = new DiscoveryPause(clock);
    let isOver = false;
    const waiting = pause.wait().finally(() => (isOver = true));
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await waiting).toBeUndefined();
  });

  it('ends with a fault that came during the discovery, and forgets those before it', async () => {
    const pause = new DiscoveryPause(new ManualClock());
    pause.end({ error: new Error('an earlier fault') });
    pause.reset();
    pause.end(fault);
    expect(await pause.wait()).toBe(fault);
  });

  it('ends at once when it is closed, and so do later ones', async () => {
    const clock = new ManualClock();
    const pause = new DiscoveryPause(clock);
    const waiting = pause.wait();
    pause.close();
    expect(await waiting).toBeUndefined();
    pause.reset();
    expect(await pause.wait()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('lets no fetch wait longer than the next discovery', async () => {
    const clock = new ManualClock();
    const pause = new DiscoveryPause(clock);
    expect(pause.fetchWaitMs()).toBe(1000);
    void pause.wait();
    await clock.advance(300);
    expect(pause.fetchWaitMs()).toBe(700);
    await clock.advance(700);
    expect(pause.fetchWaitMs()).toBe(1000);
  });
});
