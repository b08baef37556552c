import { describe, expect, it } from 'vitest';
import type { RecordRead } from '../../support/kafka/records.ts';
import type { LogLine } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const running = startOnce({ delays: ['10m', '1h'] });

describe('a paused webhook', () => {
  it('gets no request, and its deliveries wait in the tiers without an attempt', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration({ paused: true }));
    expect(await deferred(subscriber)).toMatchObject({
      outcome: 'paused',
      failure: 'its configuration is paused',
      settlement: 'defer',
      tier: '10m',
      attempt: 1,
    });
    expect(await inTier(subscriber)).toMatchObject([{ attempt: '0', deferrals: '1', 'failure-reason': 'paused' }]);
    expect(subscriber.requests).toEqual([]);
  });
});

describe('a refused configuration', () => {
  it.each([
    ['has no HTTPS address', { url: 'http://localhost/private/' }, 'url: '],
    ['points at a port outside the policy', { url: 'https://localhost:0/private/' }, 'url: '],
    ['has an unknown authentication method', { auth: { authType: 'signature', token: 'open sesame' } }, 'auth'],
    ['sets a header that the HTTP client sets', { customHeaders: { 'Content-Length': '1' } }, 'customHeaders'],
    ['subscribes to an unknown event', { events: ['certificate_revoked'] }, 'events: '],
  ])('that %s still claims the certificates of its owner, which wait', async (_why, flaw, problem) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration(flaw));
    const [refused] = await service.logged('configuration.refused', 1, { configurationId: subscriber.webhookId });
    expect(refused?.['problems']).toEqual([expect.stringContaining(problem)]);
    expect(await deferred(subscriber)).toMatchObject({ outcome: 'configuration_invalid', settlement: 'defer' });
    expect(subscriber.requests).toEqual([]);
  });

  it('replaces a valid one', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    await platform.configure(subscriber.configuration({ url: 'https://user:secret@localhost/private/' }));
    expect(await deferred(subscriber)).toMatchObject({ outcome: 'configuration_invalid' });
    expect(subscriber.requests).toEqual([]);
  });
});

describe('the service after these tests', () => {
  it('counts deferrals by reason, and logs nothing confidential', async () => {
    const { service } = running;
    const deferrals = service.log.filter(({ event }) => event === 'delivery.deferred');
    for (const reason of ['paused', 'configuration_invalid']) {
      const lines = deferrals.filter(({ outcome }) => outcome === reason);
      expect([reason, await service.metric(`deliveries_deferred_total{reason="${reason}"}`)]).toEqual([
        reason,
        lines.length,
      ]);
    }
    expect(confidentialLines(service.log, 'user:secret')).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});

/** Sends a certificate to the subscriber and returns the log line of its deferral. */
async function deferred(subscriber: Subscriber): Promise<LogLine | undefined> {
  const { platform, service } = running;
  const places = await platform.complete(subscriber.certificate());
  await service.settled(platform.topics.completed, places);
  const [line] = await service.logged('delivery.deferred', 1, { ownerId: subscriber.ownerId });
  return line;
}

/** Returns the headers of the subscriber's records in the first tier. */
async function inTier({ ownerId }: Subscriber): Promise<readonly RecordRead['headers'][]> {
  const records = await running.platform.tier('10m');
  return records.map(({ headers }) => headers).filter((headers) => headers['owner-id'] === ownerId);
}
