import { describe, expect, it } from 'vitest';
import { uniqueName } from '../../support/kafka/topics.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const running = startOnce({ delays: ['100ms', '200ms', '300ms'] });

describe('a certificate whose owner has several webhooks', { tags: ['I8'] }, () => {
  it('is sent once to each webhook that accepts it, and retried only at the one that fails', async () => {
    const { platform, service } = running;
    const ownerId = uniqueName('owner');
    const [one, other] = [aSubscriber(platform, { ownerId }), aSubscriber(platform, { ownerId })];
    const failing = aSubscriber(platform, { ownerId, answers: [500, 500, 200] });
    await platform.configure(...[one, failing, other].map((subscriber) => subscriber.configuration()));
    const places = await platform.complete(one.certificate());
    const lines = await service.logged('delivery.attempted', 5, { ownerId });

    expect([one, other, failing].map(({ requests }) => requests.length)).toEqual([1, 1, 3]);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['retried']);
    const ids = new Set(lines.map(({ deliveryId }) => deliveryId));
    const source = `${platform.topics.completed}/0/${places[0]?.offset}`;
    expect(ids).toEqual(new Set([one, other, failing].map(({ webhookId }) => `${source}/${webhookId}`)));
  });

  it('is sent once for each webhook, even when they share an address', async () => {
    const { platform, service } = running;
    const ownerId = uniqueName('owner');
    const one = aSubscriber(platform, { ownerId });
    const other = aSubscriber(platform, { ownerId, url: one.url });
    await platform.configure(one.configuration(), other.configuration({ auth: { authType: 'none' } }));
    const places = await platform.complete(one.certificate());
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    const credentials = one.requests.map((request) => request.header('authorization')?.split(' ')[0] ?? 'none');
    expect(credentials.toSorted()).toEqual(['Bearer', 'none']);
  });

  it('is sent only to webhooks that subscribe to its event', async () => {
    const { platform, service } = running;
    const ownerId = uniqueName('owner');
    const subscribe = async (events: readonly string[] | undefined): Promise<Subscriber> => {
      const subscriber = aSubscriber(platform, { ownerId });
      await platform.configure(subscriber.configuration({ events }));
      return subscriber;
    };
    const both = await subscribe(undefined);
    const completed = await subscribe(['certificate_completed']);
    const expired = await subscribe(['certificate_expired']);
    await service.settled(platform.topics.completed, await platform.complete(both.certificate()));
    expect([both, completed, expired].map(({ requests }) => requests.length)).toEqual([1, 1, 0]);
    await service.settled(platform.topics.expired, await platform.expire(both.certificate()));
    expect([both, completed, expired].map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
  });

  it('is never sent to webhooks of another owner', async () => {
    const { platform, service } = running;
    const { topics } = platform;
    const [one, other] = [aSubscriber(platform), aSubscriber(platform)];
    await platform.configure(one.configuration(), other.configuration());
    await service.settled(topics.completed, await platform.complete(...one.certificates(3)));
    expect([one, other].map(({ requests }) => requests.length)).toEqual([3, 0]);
  });
});

describe('a certificate without a matching webhook', () => {
  it('is settled as unclaimed if its owner has no webhook, a disabled one, or one for other events', async () => {
    const { platform, service } = running;
    const [unknown, disabled, uninterested] = [aSubscriber(platform), aSubscriber(platform), aSubscriber(platform)];
    await platform.configure(
      disabled.configuration({ enabled: false }),
      uninterested.configuration({ events: ['certificate_expired'] }),
    );
    const places = await platform.complete(
      ...[unknown, disabled, uninterested].map((subscriber) => subscriber.certificate()),
    );
    const { completed } = platform.topics;
    expect(await service.settled(completed, places)).toEqual(['unclaimed', 'unclaimed', 'unclaimed']);
    expect(await service.metric(`records_settled_total{topic="${completed}",result="unclaimed"}`)).toBe(3);
    expect([disabled, uninterested].flatMap(({ requests }) => requests)).toEqual([]);
  });

  it('is not checked for missing fields, unlike one with a webhook', async () => {
    const { platform, service } = running;
    const { completed } = platform.topics;
    const claimed = aSubscriber(platform);
    await platform.configure(claimed.configuration());
    const lacking = { creationDate: undefined, ruleData: { description: 'only this' }, __v: undefined };
    const places = await platform.complete(
      aSubscriber(platform).certificate(lacking),
      claimed.certificate(lacking),
      claimed.certificate({ expires: null }),
    );
    expect(await service.settled(completed, places)).toEqual(['unclaimed', 'delivered', 'delivered']);
    const { body } = await service.get('/metrics');
    const deviations = body.matchAll(/^certificate_webhooks_contract_deviations_total\{field="(.+)"\} ([1-9]\d*)$/gm);
    expect([...deviations].map(([, field, count]) => `${field} ${count}`)).toEqual([
      'creationDate 1',
      'ruleData.type 1',
      'ruleData.name 1',
      'ruleData.validityDurationDays 1',
    ]);
  });
});

describe('the metrics', { tags: ['I3'] }, () => {
  it('agree with the log', async () => {
    const { service } = running;
    const delivered = service.log.filter(
      ({ event, outcome }) => event === 'delivery.attempted' && outcome === 'delivered',
    );
    const first = delivered.filter(({ attempt }) => attempt === 1);
    const counted = async (attempt: string): Promise<number | undefined> =>
      service.metric(`delivery_attempts_total{outcome="delivered",status_class="2xx",attempt="${attempt}"}`);
    expect([await counted('first'), await counted('retry')]).toEqual([first.length, delivered.length - first.length]);
    expect(await service.metric('delivery_latency_seconds_count{event_type="certificate_expired"}')).toBe(2);
    expect(await service.unaccounted()).toBe(0);
  });
});
