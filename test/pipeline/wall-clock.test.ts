import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { dueIn, maxAgeMs, startPipeline } from './scripted-pipeline.ts';

const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

describe('a retry', () => {
  it('keeps the time left when the wall clock was set back while it waited', async () => {
    const scripted = startPipeline({});
    const plannedAt = scripted.clock.now();
    const stay = dueIn(30_000, scripted.clock);
    scripted.clock.jump(-3_600_000);
    expect(await scripted.retry({ plannedAt }, { stay })).toBe('retried');
    expect(scripted.waits).toEqual([30_000]);
  });

  it('keeps its due time to the millisecond, however often it moves on between two ticks of the wall clock', async () => {
    const scripted = startPipeline({});
    const plannedAt = scripted.clock.now();
    const due = dueIn(30_000, scripted.clock);
    for (const offByMs of [-0.9, -0.5, 0.5, 0.9]) {
      const stay = { ...due, dueAtMonotonic: due.dueAtMonotonic + offByMs };
      expect(await scripted.retry({ plannedAt }, { stay })).toBe('retried');
    }
    expect(scripted.waits).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  it('is attempted when it is due, although the wall clock was set back', async () => {
    const scripted = startPipeline({});
    const plannedAt = scripted.clock.now();
    const stay = dueIn(10_000, scripted.clock);
    await scripted.clock.advance(10_000);
    scripted.clock.jump(-3_600_000);
    expect(await scripted.retry({ plannedAt }, { stay })).toBe('delivered');
  });

  it.each([
    { how: 'forward by a week', jumpMs: 7 * 24 * 3_600_000 },
    { how: 'back by a week', jumpMs: -7 * 24 * 3_600_000 },
  ])('does not expire because the wall clock was set $how, and does expire with its age', async ({ jumpMs }) => {
    const scripted = startPipeline({ outcomes: [failed] });
    const plannedAt = scripted.clock.now();
    scripted.clock.jump(jumpMs);
    expect(await scripted.retry({ plannedAt })).toBe('retried');
    await scripted.clock.advance(Math.max(0, -jumpMs) + maxAgeMs + 1);
    expect(await scripted.retry({ plannedAt })).toBe('dead_lettered');
    expect(scripted.written.at(-1)).toBe('delivery expired after 1');
  });
});
