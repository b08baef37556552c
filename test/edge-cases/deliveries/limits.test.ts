import { describe, expect, it } from 'vitest';
import { status, type Answer } from '../../support/endpoints/answers.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('a webhook with limits', () => {
  const running = startOnce({ delays: ['1s', '2s'], environment: { DELIVERY_MAX_WAITING_PER_ENDPOINT: '16' } });

  it('gets its attempts spread over the minute, while others get theirs at once', async () => {
    const { platform, service } = running;
    const limited = aSubscriber(platform);
    const other = aSubscriber(platform);
    await platform.configure(limited.configuration({ limits: { perMinute: 600 } }), other.configuration());
    const writtenAt = Date.now();
    await platform.complete(...limited.certificates(20), other.certificate());
    await service.logged('delivery.attempted', 20, { ownerId: limited.ownerId, outcome: 'delivered' });
    const arrivals = limited.requests.map(({ arrivedAt }) => arrivedAt);
    expect(arrivals).toHaveLength(20);
    // 19 intervals of 100 ms. None starts before it is written, so a late first arrival shortens nothing.
    expect(Math.max(...arrivals) - writtenAt).toBeGreaterThanOrEqual(1900);
    expect(Math.max(...other.requests.map(({ arrivedAt }) => arrivedAt))).toBeLessThan(Math.max(...arrivals));
    expect(await service.unaccounted()).toBe(0);
  });

  it('gets no more requests at once than it allows', async () => {
    const { platform, service } = running;
    let [open, most] = [0, 0];
    const slow: Answer = (exchange) => {
      open += 1;
      most = Math.max(most, open);
      exchange.after(30, () => {
        open -= 1;
        status(200)(exchange);
      });
    };
    const limited = aSubscriber(platform, { answers: [slow] });
    await platform.configure(limited.configuration({ limits: { inFlight: 2 } }));
    await platform.complete(...limited.certificates(20));
    await service.logged('delivery.attempted', 20, { ownerId: limited.ownerId, outcome: 'delivered' });
    expect(most).toBe(2);
    expect(await service.unaccounted()).toBe(0);
  });

  it('gets each certificate once when more comes in than it may get', async () => {
    const { platform, service } = running;
    const limited = aSubscriber(platform);
    await platform.configure(limited.configuration({ limits: { perMinute: 3000 } }));
    await platform.complete(...limited.certificates(100));
    await service.logged('delivery.attempted', 100, { ownerId: limited.ownerId, outcome: 'delivered' });
    expect(new Set(limited.requests.map(({ body }) => body.toString())).size).toBe(100);
    expect(limited.requests).toHaveLength(100);
    expect(await service.unaccounted()).toBe(0);
  });
});
