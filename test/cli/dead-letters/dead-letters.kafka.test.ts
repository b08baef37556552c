import { beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, aRecord, json } from '../../support/builders.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { writeDeadLetters, deadDelivery, deadRecord, firstFailedAt, theDelivery } from './dead-letters.ts';
import { printedCount, run, runHere } from '../program.ts';

const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const minute = 60_000;

/** Writes dead letters 0 to 5 of two configurations. Their times ascend, but not within a partition. */
async function writeToTwoPartitions({ kafka, topics }: Platform, topic: string): Promise<void> {
  for (const partition of [0, 1]) {
    const indexes = partition === 0 ? [2, 0, 4] : [1, 3, 5];
    const letters = indexes.map((index) => {
      const delivery = theDelivery(topics.completed, index, { webhookId: index < 3 ? 'one' : 'other' });
      const reason = index === 4 ? 'expired' : 'exhausted';
      return deadDelivery(delivery, { reason, failedAt: firstFailedAt + index * minute });
    });
    await writeDeadLetters(kafka, topic, letters, partition);
  }
}

describe('dead-letters list', () => {
  let platform: Platform;
  let environment: Environment;
  beforeAll(async () => {
    platform = await startPlatform();
    const topic = uniqueName('dead-letter');
    await createTopics(platform.kafka, [{ topic, partitions: 2 }]);
    environment = { ...platform.environment, DEAD_LETTER_TOPIC: topic };
    await writeToTwoPartitions(platform, topic);
    return async () => platform[Symbol.asyncDispose]();
  });
  const listed = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, out } = await runHere(environment, 'dead-letters', 'list', '--json', ...args);
    expect(code).toBe(0);
    return out.map((line) => String((JSON.parse(line) as Readonly<Record<string, unknown>>)['certificate-id']));
  };
  const ids = (...indexes: readonly number[]): readonly string[] => indexes.map((index) => `certificate-${index}`);

  it.each<readonly [string, readonly string[], readonly number[]]>([
    ['all, the newest last', [], [0, 1, 2, 3, 4, 5]],
    ['those of one configuration', ['--configuration', 'other'], [3, 4, 5]],
    ['those of a reason', ['--reason', 'expired'], [4]],
    ['those of a certificate', ['--certificate', 'certificate-2'], [2]],
    [
      'those in a time range without its end',
      ['--since', '2026-11-01T00:01:00Z', '--until', '2026-11-01T00:04:00Z'],
      [1, 2, 3],
    ],
    ['the newest', ['--limit', '2', '--configuration', 'one'], [1, 2]],
    ['none of an owner without dead letters', ['--owner', 'nobody'], []],
    ['none that failed in the last hour', ['--since', '1h'], []],
  ])('prints %s', async (_, args, indexes) => {
    expect(await listed(...args)).toEqual(ids(...indexes));
  });

  it('prints one object per line, with the headers by name and the position', async () => {
    const { out } = await runHere(environment, 'dead-letters', 'list', '--json', '--limit', '1');
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        partition: expect.any(Number),
        offset: expect.any(Number),
        timestamp: anInstant,
        replayed: false,
        'delivery-id': `${platform.topics.completed}/1/5/other`,
        'dead-letter-reason': 'exhausted',
        'failed-at': '2026-11-01T00:05:00.000Z',
        'failure-status': '503',
        attempt: '7',
      }),
    ]);
  });

  it('prints a table with aligned columns', async () => {
    const { out, err } = await runHere(environment, 'dead-letters', 'list', '--limit', '2');
    const [title = '', ...rows] = out;
    const at = title.indexOf('CONFIGURATION');
    expect(rows.map((row) => row.slice(at, at + 5))).toEqual(['other', 'other']);
    expect(rows[0]).toContain('http_error: answered 503');
    expect(err.at(-1)).toBe('dead letters: 2, replayed: 0');
  });

  it('ends with 1 if the topic is missing, and prints which one', async () => {
    const { code, err } = await runHere({ ...environment, DEAD_LETTER_TOPIC: 'not-there' }, 'dead-letters', 'list');
    expect([code, err.join()]).toEqual([1, expect.stringContaining('there is no topic not-there')]);
  });
});

describe('dead-letters replay', () => {
  it('writes each once to the first tier, as a first attempt, and marks it', async () => {
    await using platform = await startPlatform({ delays: ['10s'] });
    const { kafka, topics, environment } = platform;
    const delivery = theDelivery(topics.completed, 0);
    await writeDeadLetters(kafka, topics.deadLetters, [deadDelivery(delivery)]);

    const dry = await runHere(environment, 'dead-letters', 'replay', '--dry-run');
    expect(printedCount(dry, 'to be replayed')).toBe(1);
    expect([await platform.tier('10s'), (await platform.deadLetters()).length]).toEqual([[], 1]);

    const before = Date.now();
    expect(printedCount(await run(environment, 'dead-letters', 'replay'), 'replayed')).toBe(1);
    const [retry] = await platform.tier('10s');
    expect(retry).toMatchObject({ key: delivery.key, value: delivery.body });
    expect(retry?.headers).toEqual({
      'webhook-configuration-id': delivery.webhookId,
      'owner-id': delivery.ownerId,
      'certificate-id': 'certificate-0',
      'event-type': 'certificate_completed',
      'delivery-id': delivery.deliveryId,
      attempt: '0',
      deferrals: '0',
      'planned-at': anInstant,
      'due-at': anInstant,
      'source-topic': topics.completed,
      'source-partition': '0',
      'source-offset': '0',
      'source-timestamp': '2026-11-01T00:00:00.000Z',
      'dead-letter-partition': '0',
      'dead-letter-offset': '0',
    });
    expect(Date.parse(retry?.headers['planned-at'] ?? '')).toBeGreaterThanOrEqual(before);
    const [, marker] = await platform.deadLetters();
    expect(marker).toMatchObject({ key: delivery.key, value: null });
    expect(marker?.headers).toMatchObject({
      'delivery-id': delivery.deliveryId,
      'webhook-configuration-id': delivery.webhookId,
      'replayed-at': anInstant,
      'dead-letter-offset': '0',
    });
    expect(marker?.headers).not.toHaveProperty('dead-letter-reason');

    expect(printedCount(await runHere(environment, 'dead-letters', 'replay'), 'replayed before')).toBe(1);
    expect(await platform.tier('10s')).toHaveLength(1);
    expect((await runHere(environment, 'dead-letters', 'list')).err.at(-1)).toBe('dead letters: 1, replayed: 1');

    // The delivery failed again, which makes another dead letter.
    await writeDeadLetters(kafka, topics.deadLetters, [deadDelivery(delivery, { failedAt: firstFailedAt + minute })]);
    const second = await runHere(environment, 'dead-letters', 'replay');
    expect([printedCount(second, 'replayed before'), printedCount(second, 'replayed')]).toEqual([1, 1]);
    expect(
      printedCount(await runHere(environment, 'dead-letters', 'replay', '--again', '--limit', '1'), 'replayed'),
    ).toBe(1);
    expect((await platform.tier('10s')).map(({ headers }) => headers['dead-letter-offset'])).toEqual(['0', '2', '2']);
  });

  it('decodes and plans records again, and prints why some are not replayed', async () => {
    await using platform = await startPlatform({ delays: ['10s'] });
    const { kafka, topics, environment } = platform;
    await platform.configure(aConfiguration({ _id: 'a' }), aConfiguration({ _id: 'b' }));
    const topic = topics.completed;
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const good = aRecord({ topic, offset: 7, headers: { traceparent, 'x-own': 'own' } });
    const ofTier = { ...aRecord({ topic: `${topics.tierPrefix}.10s`, offset: 3 }), headers: retryOf(topic) };
    await writeDeadLetters(kafka, topics.deadLetters, [
      deadRecord(good, 'internal_error'),
      deadRecord({ ...good, value: json({ no: 'certificate' }) }, 'invalid_record'),
      deadRecord({ ...good, value: Buffer.from('{') }, 'undecodable'),
      deadRecord({ ...good, topic: 'elsewhere' }, 'undecodable'),
      deadRecord(ofTier, 'internal_error'),
      deadDelivery(theDelivery(topic, 9), { reason: 'too_large' }),
    ]);
    const { code, out, err } = await runHere(environment, 'dead-letters', 'replay');
    expect([code, out.slice(3)]).toEqual([
      0,
      [
        'replayed: 2',
        'deliveries: 3',
        '  a: 2',
        '  b: 1',
        'not replayed: 4',
        '  it is still invalid_record: 1',
        '  it is still undecodable: 1',
        '  it comes from a topic that is not in CERTIFICATE_TOPICS: 1',
        '  its value is not there: 1',
      ],
    ]);
    expect([...out, ...err].join('\n')).not.toMatch(/Zt7mQ1x9|production|hooks\.example/);
    const retries = await platform.tier('10s');
    expect(retries.map(({ headers }) => headers['delivery-id'])).toEqual([
      `${topic}/0/7/a`,
      `${topic}/0/7/b`,
      `${topic}/0/5/a`,
    ]);
    expect(retries[0]).toMatchObject({ value: good.value, headers: { traceparent, attempt: '0' } });
    expect(retries[2]?.headers).toMatchObject({ 'source-topic': topic, 'source-offset': '5' });
    const markers = (await platform.deadLetters()).filter(({ headers }) => 'replayed-at' in headers);
    expect(markers.map(({ headers }) => headers['dead-letter-offset'])).toEqual(['0', '4']);
    expect(markers[0]?.headers).not.toHaveProperty('delivery-id');
  });
});

function retryOf(topic: string): ReturnType<typeof aRecord>['headers'] {
  const { headers } = aRecord({
    headers: {
      'webhook-configuration-id': 'a',
      'owner-id': 'owner',
      'certificate-id': 'certificate-5',
      'event-type': 'certificate_completed',
      'delivery-id': `${topic}/0/5/a`,
      attempt: '2',
      'source-topic': topic,
      'source-partition': '0',
      'source-offset': '5',
    },
  });
  return headers;
}
