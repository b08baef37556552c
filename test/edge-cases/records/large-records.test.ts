import { CompressionTypes } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { produce, type RecordRead } from '../../support/kafka/records.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

/** More than the brokers take in one batch, 1 MiB by default. It compresses to some kilobytes. */
const large = 'x'.repeat(2_200_000);
const largeHeader = [['x-large', Buffer.from(large)]] as const;

function offsetOf({ headers }: RecordRead): number {
  return Number(headers['source-offset']);
}

describe('a record that compresses to a fraction of its size', () => {
  const running = startOnce({ delays: ['200ms', '1h'] });

  it('is dead-lettered with what the brokers take, or delivered, and its partition goes on', async () => {
    const { platform, service } = running;
    const { completed } = platform.topics;
    const subscriber = aSubscriber(platform);
    const refusing = aSubscriber(platform, { answers: [500] });
    await platform.configure(...[subscriber, refusing].map((one) => one.configuration()));
    const ids = ['_id', '_userId', '_ownerId'];
    const invalid = Buffer.from('{}');
    const places = await produce(
      platform.kafka,
      completed,
      [
        ...ids.map((id) => ({ key: id, value: json({ ...refusing.certificate(), [id]: large }) })),
        { key: 'headers', value: invalid, headers: largeHeader },
        { key: large, value: invalid },
        { key: large, value: json({ _id: large }), headers: largeHeader },
        { key: large, value: json(refusing.certificate()) },
        { key: 'last', value: json(subscriber.certificate()) },
      ],
      CompressionTypes.GZIP,
    );
    expect(await service.settled(completed, places)).toEqual([...Array(7).fill('dead_lettered'), 'delivered']);
    const letters = (await platform.deadLetters()).toSorted((one, other) => offsetOf(one) - offsetOf(other));
    expect(
      letters.map(({ key, value, headers }) => [
        String(key),
        value,
        headers['failure-reason'],
        headers['x-large']?.length,
      ]),
    ).toEqual([
      ...ids.map((id) => [id, null, 'invalid_record', undefined]),
      ['headers', invalid, 'too_large', undefined],
      ['null', null, 'invalid_record', undefined],
      ['null', null, 'too_large', undefined],
      ['null', null, 'http_error', undefined],
    ]);
    expect(letters.map(({ headers }) => headers['dead-letter-reason'])).toEqual(Array(7).fill('too_large'));
  });
});
