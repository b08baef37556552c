import { describe, expect, it } from 'vitest';
import { incompressibleText, json } from '../../support/builders.ts';
import { produce, type RecordRead } from '../../support/kafka/records.ts';
import { retryHeaders } from '../../support/service/retry-headers.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce, type Running } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a delivery that fails in all tiers', { tags: ['I3'] }, () => {
  const running = startOnce({ delays: ['100ms', '200ms'] });

  it('is dead-lettered as exhausted, with everything needed to send it again', async () => {
    const { platform, service } = running;
    const { topics } = platform;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 403] });
    await platform.configure(subscriber.configuration());
    const value = json(subscriber.certificate());
    const record = { key: 'the key', value, timestamp: Date.UTC(2026, 2, 14, 9, 26, 54, 20) };
    const [place] = await produce(platform.kafka, topics.completed, [record]);
    const letter = await letterOf(running, subscriber);

    expect(letter).toMatchObject({ key: Buffer.from('the key'), value });
    expect(letter?.headers).toEqual({
      'webhook-configuration-id': subscriber.webhookId,
      'owner-id': subscriber.ownerId,
      'certificate-id': String(subscriber.certificate()['_id']),
      'event-type': 'certificate_completed',
      'delivery-id': `${topics.completed}/0/${place?.offset}/${subscriber.webhookId}`,
      attempt: '3',
      deferrals: '0',
      'planned-at': anInstant,
      'first-attempted-at': anInstant,
      'source-topic': topics.completed,
      'source-partition': '0',
      'source-offset': String(place?.offset),
      'source-timestamp': '2026-03-14T09:26:54.020Z',
      'failed-at': anInstant,
      'failure-reason': 'http_error',
      'failure-status': '403',
      'failure-message': 'answered 403',
      'dead-letter-reason': 'exhausted',
    });
    expect(subscriber.requests).toHaveLength(3);
    const lines = await service.logged('delivery.attempted', 3, { ownerId: subscriber.ownerId });
    expect(lines[2]).toMatchObject({ attempt: 3, settlement: 'dead', status: 403 });
    expect(await service.metric('dead_letters_total{reason="exhausted"}')).toBe(1);
    expect(confidentialLines(service.log)).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('a delivery whose next attempt would be too late', () => {
  const running = startOnce({ delays: ['200ms', '1h'], environment: { DELIVERY_MAX_AGE: '10m' } });

  it('is dead-lettered as expired, with its number of attempts', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const letter = await letterOf(running, subscriber);
    expect(letter?.value).toEqual(json(subscriber.certificate()));
    expect(letter?.headers).toMatchObject({
      'dead-letter-reason': 'expired',
      'failure-reason': 'http_error',
      attempt: '2',
    });
    expect(letter?.headers).not.toHaveProperty('due-at');
    expect(await service.metric('dead_letters_total{reason="expired"}')).toBeGreaterThan(0);
  });

  it('is dead-lettered without an attempt if its webhook was always paused', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration({ paused: true }));
    await platform.complete(subscriber.certificate());
    const letter = await letterOf(running, subscriber);
    expect(letter?.headers).toMatchObject({
      'dead-letter-reason': 'expired',
      'failure-reason': 'paused',
      attempt: '0',
      deferrals: '1',
    });
    expect(letter?.headers).not.toHaveProperty('first-attempted-at');
    expect(subscriber.requests).toEqual([]);
  });

  it('is dead-lettered without a request if it is read at an age, since its planning, that is not allowed', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const plannedAt = new Date(Date.now() - 11 * 60_000).toISOString();
    await produce(platform.kafka, `${platform.topics.tierPrefix}.200ms`, [
      {
        value: json(subscriber.certificate()),
        headers: { ...retryHeaders(subscriber), attempt: '0', 'planned-at': plannedAt },
      },
    ]);
    const letter = await letterOf(running, subscriber);
    expect(letter?.headers).toMatchObject({
      'dead-letter-reason': 'expired',
      'planned-at': plannedAt,
      attempt: '0',
    });
    expect(subscriber.requests).toEqual([]);
  });
});

describe('a delivery that is too large for its tier', { tags: ['I4', 'I10'] }, () => {
  const running = startOnce({
    delays: ['1h'],
    settings: { tiers: { 'max.message.bytes': 3000 } },
  });

  it('is dead-lettered without its value, and blocks no other', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    const other = aSubscriber(platform, { answers: [503] });
    await platform.configure(subscriber.configuration(), other.configuration());
    const large = subscriber.certificate({ ruleData: { description: incompressibleText(5000) } });
    const places = await platform.complete(large, other.certificate());

    expect(await service.settled(platform.topics.completed, places)).toEqual(['dead_lettered', 'retried']);
    const letter = await letterOf(running, subscriber);
    expect(letter?.value).toBeNull();
    expect(letter?.headers).toMatchObject({
      'dead-letter-reason': 'too_large',
      'failure-reason': 'http_error',
      'failure-status': '500',
      attempt: '1',
      'source-offset': String(places[0]?.offset),
    });
    expect(await platform.tier('1h')).toMatchObject([{ value: json(other.certificate()) }]);
    expect(await service.metric('dead_letters_total{reason="too_large"}')).toBe(1);
    expect(await service.metric('retries_scheduled_total{tier="1h"}')).toBe(1);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('a delivery that fits into its tier only compressed', { tags: ['I2'] }, () => {
  const running = startOnce({ delays: ['1h'], settings: { tiers: { 'max.message.bytes': 3000 } } });

  it('is retried with its value', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    await platform.configure(subscriber.configuration());
    const large = subscriber.certificate({ ruleData: { description: 'x'.repeat(5000) } });
    const places = await platform.complete(large);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['retried']);
    expect(await platform.tier('1h')).toMatchObject([{ value: json(large) }]);
  });
});

describe('a record in a tier that is not a retry', { tags: ['I10'] }, () => {
  const running = startOnce({ delays: ['100ms'] });

  it('is dead-lettered unchanged as undecodable, and the next one is delivered', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const good = retryHeaders(subscriber);
    const { 'delivery-id': _id, ...unidentified } = good;
    const broken: readonly (readonly [headers: Readonly<Record<string, string>>, message: string])[] = [
      [unidentified, 'the header delivery-id is missing'],
      [{ ...good, attempt: 'two' }, 'the header attempt is no whole number'],
      [{ ...good, 'due-at': 'tomorrow' }, 'the header due-at is no ISO 8601 time in UTC'],
      [
        { ...good, 'event-type': 'gone' },
        'the header event-type is none of certificate_completed, certificate_expired',
      ],
    ];
    const tier = `${platform.topics.tierPrefix}.100ms`;
    const value = json(subscriber.certificate());
    const places = await produce(platform.kafka, tier, [
      ...broken.map(([headers]) => ({ key: 'key', value, headers: { ...headers, 'x-own': 'kept' } })),
      { key: 'key', value: null, headers: good },
      { key: 'key', value, headers: good },
    ]);

    const results = await service.settled(tier, places);
    expect(results).toEqual([...Array(5).fill('dead_lettered'), 'delivered']);
    const letters = await platform.deadLetters();
    expect(letters).toHaveLength(5);
    for (const [index, [headers, message]] of broken.entries()) {
      expect(letters[index]).toMatchObject({ key: Buffer.from('key'), value });
      const { 'due-at': _dueAt, ...kept } = headers;
      expect(letters[index]?.headers).toEqual({
        ...kept,
        'x-own': 'kept',
        'source-topic': tier,
        'source-partition': '0',
        'source-offset': String(index),
        'source-timestamp': anInstant,
        'failed-at': anInstant,
        'failure-reason': 'undecodable',
        'failure-message': message,
        'dead-letter-reason': 'undecodable',
      });
    }
    expect(letters[4]).toMatchObject({ value: null, headers: { 'failure-message': 'there is no value to send' } });
    expect(subscriber.requests).toHaveLength(1);
    expect(await service.metric('dead_letters_total{reason="undecodable"}')).toBe(5);
    expect(await service.unaccounted()).toBe(0);
  });
});

/** Waits for the dead letter of the subscriber's only delivery. */
async function letterOf({ platform, service }: Running, { ownerId }: Subscriber): Promise<RecordRead | undefined> {
  await service.logged('delivery.dead_lettered', 1, { ownerId });
  const letters = await platform.deadLetters();
  return letters.find(({ headers }) => headers['owner-id'] === ownerId);
}
