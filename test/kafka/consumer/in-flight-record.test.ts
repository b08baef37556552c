import { describe, expect, it } from 'vitest';
import { aBatch, startAdmission } from '../support/scripted-admission.ts';

/** The process has more to do than it can: of a partition 32 records may be in hand. */
function startBehind() {
  const { admission, clock, handled, settle } = startAdmission({ timesEnough: () => 1, maxRecords: 1000 });
  admission.admitBatch(aBatch(0, 96));
  return {
    settle,
    lives: () => handled.map(({ context }) => context),
    /** So many were taken in and are not settled, a moment later. */
    taken: async () => {
      await clock.advance(5);
      return handled.length;
    },
  };
}

describe('a record under way', () => {
  it('keeps nobody out while it waits for others, and does so again once it goes on', async () => {
    const { lives, taken } = startBehind();
    expect(await taken()).toBe(32);
    const [one, ...others] = lives();
    for (const context of others.slice(0, 11)) context.markWaiting();
    expect(await taken()).toBe(43);
    for (const context of others.slice(0, 11)) context.markActive();
    one?.markWaiting();
    expect(await taken()).toBe(43);
  });

  it('waits only when all its deliveries do that are not settled', async () => {
    const { lives, taken } = startBehind();
    for (const context of lives()) context.expectDeliveries(3);
    for (const context of lives()) context.markWaiting();
    for (const context of lives()) context.markWaiting();
    expect(await taken()).toBe(32);
    for (const context of lives().slice(0, 20)) context.markWaiting();
    expect(await taken()).toBe(52);
  });

  it('is no longer counted when it is settled, whether it was set aside or not', async () => {
    const { lives, taken, settle } = startBehind();
    const [one] = lives();
    one?.markWaiting();
    for (let offset = 0; offset < 20; offset += 1) await settle(offset, 'delivered');
    expect(await taken()).toBe(32);
  });
});
