import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../support/endpoints/answers.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('a Retry-After header', () => {
  const running = startOnce({ delays: ['10m', '1h', '6h'] });

  it.each([
    ['of zero', '0', '10m'],
    ['below the delay of the first tier', '60', '10m'],
    ['equal to the delay of the first tier', '600', '10m'],
    ['above the delay of the first tier', '601', '1h'],
    ['above the delay of the second tier', '3601', '6h'],
    ['above the delay of every tier', '999999', '6h'],
    ['as a date in half an hour', inSeconds(1800), '1h'],
    ['as a date in two hours', inSeconds(7200), '6h'],
    ['as a date in the past', inSeconds(-3600), '10m'],
    ['that is invalid', 'soon', '10m'],
  ])('%s leads to the first tier that is long enough', async (_what, value, tier) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(500, value)] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const [line] = await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(line).toMatchObject({ settlement: 'retry', tier, attempt: 1 });
  });

  it.each([302, 400, 404, 429, 503])('also applies to a %i', async (code) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(code, '700')] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const [line] = await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(line).toMatchObject({ status: code, settlement: 'retry', tier: '1h' });
  });
});

/** Returns an HTTP-date (RFC 9110, 5.6.7). */
function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString();
}
