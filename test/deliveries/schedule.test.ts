import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deferTier, retryTier, tierForWait, tierWait, type Schedule } from '../../src/deliveries/schedule.ts';

const schedule: Schedule = { delaysMs: [10, 60, 600], maxAgeMs: 10_000 };

describe('the tier of a retry', () => {
  it.each([
    { attempt: 1, retryAfterMs: 0, tier: 0 },
    { attempt: 3, retryAfterMs: 0, tier: 2 },
    { attempt: 4, retryAfterMs: 0, tier: undefined },
    { attempt: 1, retryAfterMs: 10, tier: 0 },
    { attempt: 1, retryAfterMs: 11, tier: 1 },
    { attempt: 2, retryAfterMs: 10, tier: 1 },
    { attempt: 1, retryAfterMs: 601, tier: 2 },
    { attempt: 4, retryAfterMs: 601, tier: undefined },
  ])('of attempt $attempt that is to wait $retryAfterMs ms is $tier', ({ attempt, retryAfterMs, tier }) => {
    expect(retryTier(schedule, attempt, retryAfterMs)).toBe(tier);
  });
});

describe('the tier of a deferral', () => {
  it.each([
    { attempt: 1, deferrals: 0, tier: 0 },
    { attempt: 2, deferrals: 0, tier: 1 },
    { attempt: 1, deferrals: 1, tier: 1 },
    { attempt: 2, deferrals: 9, tier: 2 },
  ])('of attempt $attempt after $deferrals deferrals is $tier', ({ attempt, deferrals, tier }) => {
    expect(deferTier(schedule, attempt, deferrals)).toBe(tier);
  });
});

describe('the tier of a wait', () => {
  it.each([
    { waitMs: 0, tier: 0 },
    { waitMs: 59, tier: 0 },
    { waitMs: 60, tier: 1 },
    { waitMs: 9000, tier: 2 },
  ])('of $waitMs ms is $tier', ({ waitMs, tier }) => {
    expect(tierForWait(schedule, waitMs)).toBe(tier);
  });
});

describe('the wait of a record in a tier', () => {
  const [now, delayMs] = [100_000, 1000];
  it.each([
    { record: 'just written', dueAt: now + 1000, writtenAt: now, dueInMs: 1000, holdMs: 1000 },
    { record: 'of an earlier time', dueAt: now + 600, writtenAt: now - 400, dueInMs: 600, holdMs: 600 },
    { record: 'that is overdue', dueAt: now - 500, writtenAt: now - 1500, dueInMs: -500, holdMs: 0 },
    { record: 'due after its tier', dueAt: now + 3000, writtenAt: now, dueInMs: 3000, holdMs: 1000 },
    { record: 'of before, due after its tier', dueAt: now + 3000, writtenAt: now - 400, dueInMs: 3000, holdMs: 600 },
    { record: 'in the log', dueAt: now + 1000, writtenAt: now, inLogForMs: 300, dueInMs: 700, holdMs: 700 },
    { record: 'long in the log', dueAt: now + 3000, writtenAt: now, inLogForMs: 1200, dueInMs: 1800, holdMs: 0 },
    { record: 'without a time', dueAt: now + 3000, dueInMs: 1000, holdMs: 1000 },
    { record: 'in the log, without a time', dueAt: now + 3000, inLogForMs: 400, dueInMs: 600, holdMs: 600 },
    { record: 'of a clock ahead', dueAt: now + 9000, writtenAt: now + 8000, dueInMs: 1000, holdMs: 1000 },
  ])(
    '$record is $dueInMs ms, of which the tier holds it for $holdMs ms',
    ({ dueAt, writtenAt, inLogForMs = 0, dueInMs, holdMs }) => {
      expect(tierWait({ dueAt, writtenAt, inLogForMs, delayMs }, now)).toEqual({ dueInMs, holdMs });
    },
  );

  it('is never longer than its writer planned, and its tier never holds it for longer than its delay', () => {
    const ms = fc.integer({ min: 0, max: 5000 });
    fc.assert(
      fc.property(ms, ms, ms, fc.integer({ min: -9000, max: 9000 }), (planned, delay, inLogForMs, clockErrorMs) => {
        const writtenAt = now + clockErrorMs;
        const wait = tierWait({ dueAt: writtenAt + planned, writtenAt, delayMs: delay, inLogForMs }, now);
        expect(wait.dueInMs).toBeLessThanOrEqual(planned - inLogForMs);
        expect(wait.holdMs).toBeLessThanOrEqual(Math.max(0, delay - inLogForMs));
        expect(wait.holdMs).toBeLessThanOrEqual(Math.max(0, wait.dueInMs));
        expect(wait.holdMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
