import { describe, expect, it } from 'vitest';
import { behind, limiters, type LimiterKind, type LimiterOptions } from './limiters.ts';
import { SingleSubscriberService } from './single-subscriber-service.ts';

const kinds = Object.keys(limiters) as LimiterKind[];

/** The requests of a second, the windows in which a limiter counts them, and the times of the run. */
const rates = [
  { perSecond: 0.2, windowsMs: [5000, 60_000], afterMs: 300, warmUpMs: 600_000, measuredMs: 1_200_000 },
  { perSecond: 1, windowsMs: [1000, 60_000], afterMs: 300, warmUpMs: 300_000, measuredMs: 300_000 },
  { perSecond: 5, windowsMs: [1000, 60_000], afterMs: 20, warmUpMs: 180_000, measuredMs: 180_000 },
  { perSecond: 50, windowsMs: [1000, 60_000], afterMs: 20, warmUpMs: 60_000, measuredMs: 60_000 },
];

/** Returns a service with a backlog for a subscriber behind a limiter, and the number of requests that the limiter has refused. */
function startLimited(kind: LimiterKind, { afterMs, certificates, ...options }: Limited) {
  const refused = { count: 0 };
  const responseAt = behind(limiters[kind](options), afterMs);
  const service = new SingleSubscriberService((ms) => {
    const response = responseAt(ms);
    if (response.outcome.kind !== 'delivered') refused.count += 1;
    return response;
  });
  void service.issue(certificates);
  return { service, refused };
}

interface Limited extends LimiterOptions {
  readonly afterMs: number;
  readonly certificates: number;
}

describe('a backlog for a subscriber whose limiter asks for time', () => {
  describe.each(rates)('of $perSecond a second', ({ windowsMs, perSecond, afterMs, warmUpMs, measuredMs }) => {
    it.each(windowsMs.flatMap((windowMs) => kinds.map((kind) => ({ kind, windowMs }))))(
      'is sent at that rate within 20 % if it is the limit of $kind of $windowMs ms',
      { timeout: 600_000 },
      async ({ kind, windowMs }) => {
        const certificates = Math.ceil((perSecond * (1.2 * (warmUpMs + measuredMs) + windowMs)) / 1000);
        const { service, refused } = startLimited(kind, { perSecond, windowMs, afterMs, certificates });
        using _ = service;
        await service.clock.advance(warmUpMs);
        const before = { delivered: service.delivered.size, refused: refused.count };
        await service.clock.advance(measuredMs);
        const delivered = service.delivered.size - before.delivered;
        const rate = delivered / (measuredMs / 1000) / perSecond;
        expect(rate).toBeGreaterThan(0.8);
        expect(rate).toBeLessThan(1.2);
        // Each refusal is an attempt of seven. Without a pace, half of the requests were refused.
        expect((refused.count - before.refused) / delivered).toBeLessThan(0.1);
      },
    );
  });

  it('has no dead letters, and none of it needs more than three attempts of seven', { timeout: 600_000 }, async () => {
    const certificates = 1500;
    let attempts = 0;
    const limiter = limiters['a sliding window']({ perSecond: 1, windowMs: 1000 });
    using service = new SingleSubscriberService(behind(limiter, 300), {
      onWrite: ({ attempt }) => (attempts = Math.max(attempts, attempt)),
    });
    void service.issue(certificates);
    await service.clock.advance(3_600_000);
    expect([service.delivered.size, service.deadLettered.size]).toEqual([certificates, 0]);
    expect(attempts).toBeLessThanOrEqual(3);
  });
});
