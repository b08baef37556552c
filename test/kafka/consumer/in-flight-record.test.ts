import { describe, expect, it } from 'vitest';
import { aBatch, startAdmission } from '../support/scripted-admission.ts';

/** Starts with a process that is behind: 32 recent records of a partition may be held. */
function startBehind() {
  const { admission, clock, handled, settle } = startAdmission({ timesEnough: () => 1, maxRecords: 1000 });
  admission.admitBatch(aBatch(0, 96));
  return {
    settle,
    contexts: () => handled.map(({ context }) => context),
    /** Returns the number of unsettled records after the next check of the limits. */
    admitted: async () => {
      await clock.advance(5);
      return handled.length;
    },
  };
}

describe('a record in flight', () => {
  it('does not count as recent while it waits, and counts again once it is active', async () => {
    const { contexts, admitted } = startBehind();
    expect(await admitted()).toBe(32);
    const [one, ...others] = contexts();
    for (const context of others.slice(0, 11)) context.markWaiting();
    expect(await admitted()).toBe(43);
    for (const context of others.slice(0, 11)) context.markActive();
    one?.markWaiting();
    expect(await admitted()).toBe(43);
  });

  it('waits only when all its unsettled deliveries wait', async () => {
    const { contexts, admitted } = startBehind();
    for (const context of contexts()) context.expectDeliveries(3);
    for (const context of contexts()) context.markWaiting();
    for (const context of contexts()) context.markWaiting();
    expect(await admitted()).toBe(32);
    for (const context of contexts().slice(0, 20)) context.markWaiting();
    expect(await admitted()).toBe(52);
  });

  it('is no longer counted once it is settled, whether it was waiting or not', async () => {
    const { contexts, admitted, settle } = startBehind();
    const [one] = contexts();
    one?.markWaiting();
    for (let offset = 0; offset < 20; offset += 1) await settle(offset, 'delivered');
    expect(await admitted()).toBe(32);
  });
});
