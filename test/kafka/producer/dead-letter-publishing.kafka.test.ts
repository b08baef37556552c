import { describe, expect, it } from 'vitest';
import { aRecord, incompressibleText } from '../../support/builders.ts';
import { allowLargerRecords } from '../../support/kafka/larger-records.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { clockUntil } from '../support/fast-clock.ts';
import { deliveryFrom, EmittedEvents, failedAt, kafka, newTopic, publisherTo } from './retry-publisher-under-test.ts';

describe('publishing a dead letter', () => {
  it('drops the value of a delivery that is refused for its size', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 2000 });
    const emitted = new EmittedEvents();
    await using publisher = publisherTo([], topic, { emitted });
    const delivery = deliveryFrom(0, 5, { body: Buffer.from(incompressibleText(3000)) });
    const reason = await publisher.publishDeadLetter(delivery, { reason: 'expired', attemptsMade: 0, failedAt });
    expect(reason).toBe('too_large');
    const [record] = await readTopic(kafka, topic);
    expect(record).toMatchObject({ key: delivery.key, value: null });
    expect(record?.headers).toMatchObject({ 'delivery-id': delivery.deliveryId, 'dead-letter-reason': 'too_large' });
    expect(emitted.lines).toEqual(['deadLetterWritten: too_large']);
  });

  it('drops the headers of a record, and keeps its key, when they are what is refused', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 2000 });
    await using publisher = publisherTo([], topic);
    const record = aRecord({ headers: { large: incompressibleText(3000) } });
    const deadLetter = { reason: 'undecodable', message: 'not JSON', failedAt } as const;
    expect(await publisher.publishRecordDeadLetter(record, deadLetter)).toBe('too_large');
    const [letter] = await readTopic(kafka, topic);
    expect(letter).toMatchObject({ key: record.key, value: null });
    expect(letter?.headers).not.toHaveProperty('large');
  });

  it('drops the key and headers too when the record is still refused', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 2000 });
    await using publisher = publisherTo([], topic);
    const record = aRecord({
      key: Buffer.from(incompressibleText(3000)),
      headers: { large: incompressibleText(3000) },
    });
    const deadLetter = { reason: 'invalid_record', message: '_id is missing', failedAt } as const;
    expect(await publisher.publishRecordDeadLetter(record, deadLetter)).toBe('too_large');
    const [letter] = await readTopic(kafka, topic);
    expect(letter).toMatchObject({ key: null, value: null });
    expect(letter?.headers).toMatchObject({ 'failure-reason': 'invalid_record', 'dead-letter-reason': 'too_large' });
  });

  it('tries again while not even that is accepted', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 100 });
    const emitted = new EmittedEvents();
    const takesMore = Promise.withResolvers<void>();
    await using publisher = publisherTo([], topic, { emitted, clock: clockUntil(takesMore.promise) });
    const failed = emitted.next('handoffFailed');
    const deadLetter = { reason: 'exhausted', attemptsMade: 6, failedAt } as const;
    const published = publisher.publishDeadLetter(deliveryFrom(0, 5), deadLetter);
    await failed;
    expect(publisher.failingTopics()).toEqual([topic]);
    await allowLargerRecords(kafka, topic);
    takesMore.resolve();
    expect(await published).toBe('exhausted');
    expect(publisher.failingTopics()).toEqual([]);
    expect(emitted.lines.at(0)).toBe(`handoffFailed: dead_letter ${topic}`);
    expect(emitted.lines.at(-1)).toBe('deadLetterWritten: exhausted');
  });
});
