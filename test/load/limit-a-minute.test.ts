import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { status, type Answer } from '../support/endpoints/answers.ts';
import { startOnce } from '../support/service/start-once.ts';
import { aSubscriber } from '../support/service/subscriber.ts';

const minuteMs = 60_000;
const perMinute = 120;

describe('a webhook with a limit a minute', () => {
  // All certificates wait at the endpoint. So neither Kafka nor a retry topic has a part in the pace.
  const running = startOnce({ environment: { DELIVERY_TIMEOUT: '75s', SHUTDOWN_GRACE: '80s' } });

  it('gets its limit within a minute and not one more, and at least 95 % of it', async () => {
    const { platform, service } = running;
    const arrivals: number[] = [];
    const oneMore = Promise.withResolvers<void>();
    const measured: Answer = (exchange) => {
      if (arrivals.push(performance.now()) > perMinute) oneMore.resolve();
      status(200)(exchange);
    };
    const limited = aSubscriber(platform, { answers: [measured] });
    await platform.configure(limited.configuration({ limits: { perMinute } }));
    const writtenAt = performance.now();
    await platform.complete(...limited.certificates(perMinute + 1));
    await oneMore.promise;
    const [first = Number.NaN, last = Number.NaN] = [arrivals[0], arrivals.at(-1)];
    // Exact: no request starts before its certificate is written, or arrives before it starts.
    expect(last - writtenAt).toBeGreaterThanOrEqual(minuteMs);
    // The pace is 99.8 % of the limit. The rest is for starts that a busy machine delays by more than 100 ms.
    expect(last - first).toBeLessThanOrEqual(minuteMs / 0.95);
    await service.logged('delivery.attempted', perMinute + 1, { ownerId: limited.ownerId, outcome: 'delivered' });
    expect(arrivals).toHaveLength(perMinute + 1);
    expect(await service.unaccounted()).toBe(0);
  });
});
