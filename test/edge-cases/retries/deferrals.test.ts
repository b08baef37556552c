import { describe, expect, it } from 'vitest';
import { held, retryAfter, status } from '../../support/endpoints/answers.ts';
import type { RecordRead } from '../../support/kafka/records.ts';
import type { LogLine } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const running = startOnce({
  delays: ['10m', '1h'],
  environment: {
    CIRCUIT_FAILURES: '2',
    CIRCUIT_COOLDOWN: '10m',
    DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1',
    DELIVERY_MAX_WAITING_PER_ENDPOINT: '1',
  },
});

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

describe('an endpoint that fails repeatedly', () => {
  it('gets no more requests, because its circuit is open', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    await platform.configure(subscriber.configuration());
    await attempted(subscriber, 2);
    expect(await deferred(subscriber)).toMatchObject({ outcome: 'circuit_open', settlement: 'defer', tier: '10m' });
    expect(subscriber.requests).toHaveLength(2);
    expect(await service.metric('endpoints{circuit="open"}')).toBeGreaterThan(0);
    const { body } = await service.get('/endpoints');
    expect(JSON.parse(body)).toContainEqual(
      expect.objectContaining({ configurationId: subscriber.webhookId, circuit: 'open', failures: 2 }),
    );
  });

  it('gets requests again at once after a change of its configuration', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 200] });
    await platform.configure(subscriber.configuration());
    await attempted(subscriber, 2);
    await deferred(subscriber);
    await platform.configure(subscriber.configuration({ customHeaders: {} }));
    expect(await attempted(subscriber, 1)).toMatchObject([{}, {}, { outcome: 'delivered' }]);
  });

  it.each([429, 503])('gets no more requests after one %i with a Retry-After', async (code) => {
    const { platform } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(code, '120')] });
    await platform.configure(subscriber.configuration());
    await attempted(subscriber, 1);
    expect(await deferred(subscriber)).toMatchObject({ outcome: 'circuit_open' });
  });

  it.each([429, 503])('gets more requests after a %i without a Retry-After', async (code) => {
    const { platform } = running;
    const subscriber = aSubscriber(platform, { answers: [code, 200] });
    await platform.configure(subscriber.configuration());
    expect(await attempted(subscriber, 2)).toMatchObject([{ status: code }, { outcome: 'delivered' }]);
  });
});

describe('an endpoint that is slower than its deliveries arrive', () => {
  it('has a waiting room; further deliveries get a due time and keep their attempt and deferral counts', async () => {
    const { platform, service } = running;
    using late = held(status(200));
    const subscriber = aSubscriber(platform, { answers: [late.answer] });
    await platform.configure(subscriber.configuration());
    const places = await platform.complete(...subscriber.certificates(4));
    const lines = await service.logged('delivery.deferred', 2, { ownerId: subscriber.ownerId });
    const common = { outcome: 'overloaded', settlement: 'defer', tier: '10m', attempt: 1 };
    expect(lines).toMatchObject([
      { ...common, certificateId: 'certificate-2' },
      { ...common, certificateId: 'certificate-3' },
    ]);
    const [first, second] = lines.map(({ dueAt }) => Date.parse(String(dueAt)));
    expect(second).toBeGreaterThan(first ?? 0);

    late.release();
    const { completed } = platform.topics;
    expect(await service.settled(completed, places)).toEqual(['delivered', 'delivered', 'retried', 'retried']);
    const written = { attempt: '0', deferrals: '0', 'failure-reason': 'overloaded' };
    expect(await inTier(subscriber)).toMatchObject(
      lines.map(({ dueAt }) => Object.assign({ 'due-at': dueAt }, written)),
    );
  });
});

describe('the service after these tests', () => {
  it('counts deferrals by reason, and logs nothing confidential', async () => {
    const { service } = running;
    const deferrals = service.log.filter(({ event }) => event === 'delivery.deferred');
    for (const reason of ['paused', 'configuration_invalid', 'circuit_open', 'overloaded']) {
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

/** Sends `count` certificates one by one. Resolves to the log lines of all attempts so far. */
async function attempted(subscriber: Subscriber, count: number): Promise<readonly LogLine[]> {
  const { platform, service } = running;
  for (let index = 1; index <= count; index += 1) {
    const places = await platform.complete(subscriber.certificate());
    await service.settled(platform.topics.completed, places);
  }
  return service.log.filter(({ event, ownerId }) => event === 'delivery.attempted' && ownerId === subscriber.ownerId);
}

/** Returns the headers of the subscriber's records in the first tier. */
async function inTier({ ownerId }: Subscriber): Promise<readonly RecordRead['headers'][]> {
  const records = await running.platform.tier('10m');
  return records.map(({ headers }) => headers).filter((headers) => headers['owner-id'] === ownerId);
}
