import { describe, expect, it } from 'vitest';
import { json, type Document } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

/** Many tiers, so that a change arrives before the last attempt. */
const running = startOnce({
  delays: ['500ms', '1s', '2s', '4s', '8s'],
  environment: { CIRCUIT_FAILURES: '1000' },
});

describe('a configuration that changes while a delivery waits in a tier', () => {
  it('sends the next attempt to the new address, with the new credential and headers', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    const moved = aSubscriber(platform);
    await failOnce(subscriber);
    const auth = { authType: 'api_key', token: 'the new key' };
    await platform.configure(subscriber.configuration({ url: moved.url, auth, customHeaders: { 'X-New': 'yes' } }));
    await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId, outcome: 'delivered' });

    expect(subscriber.requests[0]?.header('authorization')).toMatch(/^Bearer /);
    expect(moved.requests).toHaveLength(1);
    const [request] = moved.requests;
    expect(request?.header('x-api-key')).toBe('the new key');
    expect(request?.header('x-new')).toBe('yes');
    expect(request?.header('authorization')).toBeUndefined();
    expect(request?.header('x-environment')).toBeUndefined();
    expect(request?.body).toEqual(json(subscriber.certificate()));
  });

  it.each<readonly [what: string, change: (subscriber: Subscriber) => Promise<void>]>([
    ['removed', async ({ webhookId }) => running.platform.remove(webhookId)],
    ['not enabled', changed({ enabled: false })],
    ["another owner's", changed({ _ownerId: 'another owner' })],
    ['no longer subscribed to this event', changed({ events: ['certificate_expired'] })],
  ])('ends the delivery when it is %s', async (_what, change) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    await failOnce(subscriber);
    await change(subscriber);
    const { ownerId, webhookId } = subscriber;
    const [line] = await service.logged('delivery.unsubscribed', 1, { ownerId });
    expect(line).toMatchObject({ configurationId: webhookId, certificateId: subscriber.certificate()['_id'] });
    const letters = await platform.deadLetters();
    expect(letters.filter(({ headers }) => headers['owner-id'] === ownerId)).toEqual([]);
  });

  it('counts these deliveries as unsubscribed', async () => {
    const { platform, service } = running;
    let settled = 0;
    for (const delay of ['500ms', '1s', '2s', '4s', '8s']) {
      const topic = `${platform.topics.tierPrefix}.${delay}`;
      settled += (await service.metric(`records_settled_total{topic="${topic}",result="unsubscribed"}`)) ?? 0;
    }
    expect(settled).toBe(4);
  });

  it('holds its deliveries while it is paused, and releases them afterwards', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration({ paused: true }));
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.deferred', 2, { ownerId: subscriber.ownerId, outcome: 'paused' });
    expect(subscriber.requests).toEqual([]);
    await platform.configure(subscriber.configuration());
    const [line] = await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(line).toMatchObject({ attempt: 1, outcome: 'delivered' });
  });

  it('holds its deliveries while it is refused, and delivers them after a correction', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration({ auth: { authType: 'bearer_token' } }));
    const [refused] = await service.logged('configuration.refused', 1, { configurationId: subscriber.webhookId });
    expect(refused?.['problems']).toEqual([expect.stringContaining('token')]);
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(1);
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.deferred', 1, { ownerId: subscriber.ownerId, outcome: 'configuration_invalid' });
    await platform.configure(subscriber.configuration());
    await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId, outcome: 'delivered' });
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(0);
  });
});

describe('a configuration written just before its certificate', { tags: ['I9'] }, () => {
  it('always applies to that certificate, whether it is new or changed', async () => {
    const { platform, service } = running;
    const { topics } = platform;
    const subscriber = aSubscriber(platform);
    await using producer = await connectProducer(platform.kafka);
    const write = async (topic: string, key: string, value: Buffer): Promise<void> => {
      await producer.send({ topic, acks: -1, messages: [{ key, value, partition: 0 }] });
    };
    for (let version = 1; version <= 25; version += 1) {
      const auth = { authType: 'bearer_token', token: String(version) };
      await write(topics.configurations, subscriber.webhookId, json(subscriber.configuration({ auth })));
      await write(topics.completed, 'key', json(subscriber.certificate({ version })));
      const newcomer = { _id: `newcomer-${version}`, _ownerId: `newcomer-${version}` };
      await write(topics.configurations, newcomer._id, json(subscriber.configuration(newcomer)));
      await write(topics.completed, 'key', json(subscriber.certificate(newcomer)));
    }
    await service.logged('delivery.attempted', 25, { ownerId: subscriber.ownerId });
    for (let version = 1; version <= 25; version += 1) {
      const [line] = await service.logged('delivery.attempted', 1, { configurationId: `newcomer-${version}` });
      expect(line).toMatchObject({ attempt: 1, outcome: 'delivered' });
    }
    const versions = subscriber.requests.flatMap((request) => {
      const { version } = JSON.parse(request.body.toString()) as Document;
      return typeof version === 'number' ? [[version, request.header('authorization')] as const] : [];
    });
    expect(versions).toHaveLength(25);
    for (const [version, authorization] of versions) {
      expect(Number(authorization?.replace('Bearer ', ''))).toBeGreaterThanOrEqual(version);
    }
  });

  it('applies to that certificate after thousands of other configurations', async () => {
    const { platform, service } = running;
    const owners = Array.from({ length: 4000 }, () => aSubscriber(platform));
    const documents = owners.map((owner) => owner.configuration({ paused: true }));
    await platform.configure(...documents.slice(0, 2000));
    await platform.configure(...documents.slice(2000));
    const places = await platform.complete(...owners.slice(-1).map((owner) => owner.certificate()));
    expect(await service.settled(platform.topics.completed, places)).toEqual(['retried']);
  });
});

describe('the service after these tests', { tags: ['I3', 'I6'] }, () => {
  it('accounts for every record, and logs nothing confidential', async () => {
    const { service } = running;
    const { topics } = running.platform;
    expect(await service.metric(`records_settled_total{topic="${topics.completed}",result="unclaimed"}`)).toBe(0);
    expect(await service.unaccounted()).toBe(0);
    expect(confidentialLines(service.log, 'the new key')).toEqual([]);
  });
});

/** Makes one delivery of the subscriber fail, so that it waits in a tier. */
async function failOnce(subscriber: Subscriber): Promise<void> {
  const { platform, service } = running;
  await platform.configure(subscriber.configuration());
  await platform.complete(subscriber.certificate());
  await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
}

function changed(change: Document): (subscriber: Subscriber) => Promise<void> {
  return async (subscriber) => running.platform.configure(subscriber.configuration(change));
}
