import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { TierStay } from '../../src/pipeline/ports.ts';
import { aDelivery, aRecord } from '../support/builders.ts';
import { aRecordContext } from '../support/service/record-context.ts';
import { maxAgeMs, startPipeline } from './scripted-pipeline.ts';

const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };
const record = aRecord({ topic: 'retry.10s' });
const ours = aRecordContext();

describe('a retry', () => {
  it('keeps the time left when the wall clock was set back while it waited', async () => {
    const scripted = startPipeline({});
    const delivery = aDelivery({ attempt: 2, plannedAt: scripted.clock.now() });
    const stay = dueIn(30_000, scripted.clock);
    scripted.clock.jump(-3_600_000);
    expect(await scripted.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('retried');
    expect(scripted.dueIn).toEqual([30_000]);
  });

  it('keeps its due time to the millisecond, however often it moves on between two ticks of the wall clock', async () => {
    const scripted = startPipeline({});
    const delivery = aDelivery({ attempt: 2, plannedAt: scripted.clock.now() });
    const dueAt = scripted.clock.now() + 30_000;
    for (const offByMs of [-0.9, -0.5, 0.5, 0.9]) {
      const stay = {
        tier: '10s',
        readAt: scripted.clock.now(),
        dueAt,
        dueAtMonotonic: scripted.clock.monotonic() + 30_000 + offByMs,
      };
      expect(await scripted.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('retried');
    }
    expect(scripted.dueIn).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  it('is attempted when it is due, although the wall clock was set back', async () => {
    const scripted = startPipeline({});
    const delivery = aDelivery({ plannedAt: scripted.clock.now() });
    const stay = dueIn(10_000, scripted.clock);
    await scripted.clock.advance(10_000);
    scripted.clock.jump(-3_600_000);
    expect(await scripted.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('delivered');
  });

  it.each([
    { how: 'forward by a week', jumpMs: 7 * 24 * 3_600_000 },
    { how: 'back by a week', jumpMs: -7 * 24 * 3_600_000 },
  ])('does not expire because the wall clock was set $how, and does expire with its age', async ({ jumpMs }) => {
    const scripted = startPipeline({ outcomes: [failed] });
    const delivery = aDelivery({ attempt: 2, plannedAt: scripted.clock.now() });
    scripted.clock.jump(jumpMs);
    const read = () => ({ record, delivery, stay: dueIn(0, scripted.clock) });
    expect(await scripted.pipeline.handleRetry(read(), ours)).toBe('retried');
    await scripted.clock.advance(Math.max(0, -jumpMs) + maxAgeMs + 1);
    expect(await scripted.pipeline.handleRetry(read(), ours)).toBe('dead_lettered');
    expect(scripted.written.at(-1)).toBe('delivery expired after 1');
  });
});

function dueIn(ms: number, clock: Clock): TierStay {
  return { tier: '10s', readAt: clock.now(), dueAt: clock.now() + ms, dueAtMonotonic: clock.monotonic() + ms };
}
