import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../support/endpoints/answers.ts';
import { longTimeouts } from '../../support/service/platform.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('the time that an endpoint asks for', () => {
  const running = startOnce({ delays: ['10m', '1h', '6h'], environment: longTimeouts });

  it.each([
    ['no time', '0', '10m'],
    ['less than the first tier has', '60', '10m'],
    ['just what the first tier has', '600', '10m'],
    ['more than the first tier has', '601', '1h'],
    ['more than the second tier has', '3601', '6h'],
    ['more than any tier has', '999999', '6h'],
    ['half an hour by its clock', inSeconds(1800), '1h'],
    ['two hours by its clock', inSeconds(7200), '6h'],
    ['a moment that is over', inSeconds(-3600), '10m'],
    ['nothing that can be understood', 'soon', '10m'],
  ])('is %s: its delivery waits in the first tier that is long enough', async (_what, value, tier) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(500, value)] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const [line] = await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(line).toMatchObject({ settlement: 'retry', tier, attempt: 1 });
  });

  it.each([302, 400, 404, 429, 503])('counts with a %i as well', async (code) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(code, '700')] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const [line] = await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(line).toMatchObject({ status: code, settlement: 'retry', tier: '1h' });
  });
});

/** An HTTP-date (RFC 9110, 5.6.7). */
function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString();
}
