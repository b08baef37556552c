import { describe, expect, inject, it } from 'vitest';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { readEnvelope } from '../../../src/kafka/records/envelope.ts';
import {
  createRetryPublisher,
  type RetryPublisherOptions,
  type KafkaRetryPublisher,
} from '../../../src/kafka/producer/retry-publisher.ts';
import { PublisherClosedError } from '../../../src/kafka/producer/partition-writer.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { connectAdmin, quietClient } from '../../support/kafka/client.ts';
import { eventually } from '../../support/time/eventually.ts';
import { allowLargerRecords } from '../../support/kafka/larger-records.ts';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { aRecordContext } from '../../support/service/record-context.ts';
import { clockUntil, fastClock } from '../support/fast-clock.ts';

// The tests provoke failures, and a client that waits long before it tells of one makes them slow.
const kafka = quietClient(inject('kafka'), { retry: { retries: 2, initialRetryTime: 50, maxRetryTime: 100 } });
const dueAt = Date.UTC(2026, 10, 21, 12, 0, 0, 7);
const ours = aRecordContext();
const failedAt = Date.UTC(2026, 10, 21, 12);

/** What the handoff told, and a promise for the next thing of a kind. */
class Told {
  readonly lines: string[] = [];
  readonly #waiting = new Map<string, () => void>();

  readonly events: RetryPublisherOptions['events'] = {
    retryScheduled: ({ tier, records }) => this.#tell('retryScheduled', `${records} in ${tier}`),
    deadLetterWritten: ({ reason }) => this.#tell('deadLetterWritten', reason),
    handoffFailed: ({ kind, topic }) => this.#tell('handoffFailed', `${kind} ${topic}`),
  };

  next(event: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(event, resolve));
  }

  #tell(event: string, what: string): void {
    this.lines.push(`${event}: ${what}`);
    this.#waiting.get(event)?.();
    this.#waiting.delete(event);
  }
}

interface HandoffParts extends Pick<RetryPublisherOptions, 'kafka' | 'clock'> {
  readonly told: Told;
}

function handoffTo(
  tiers: readonly string[],
  deadLetterTopic: string,
  { told = new Told(), kafka: client = kafka, clock = fastClock }: Partial<HandoffParts> = {},
): KafkaRetryPublisher {
  return createRetryPublisher({
    kafka: client,
    tiers: tiers.map((topic, tier) => ({ topic, label: `${tier + 1}m` })),
    deadLetterTopic,
    compression: 'none',
    events: told.events,
    clock,
    random: () => 0,
    lingerMs: 10,
  });
}

async function newTopic(name: string, partitions = 1, settings: Record<string, string | number> = {}): Promise<string> {
  const topic = uniqueName(name);
  await createTopics(kafka, [{ topic, partitions, settings }]);
  return topic;
}

/** Resolves once the broker takes no more writes to it: it answers before it acts. */
async function deleteTopic(topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topic] });
  await eventually(`${topic} is gone`, async () => !(await admin.listTopics()).includes(topic));
}

function deliveryFrom(partition: number, offset: number, rest: Partial<Delivery> = {}): Delivery {
  return aDelivery({ source: { topic: 'certificates.completed', partition, offset, timestamp: failedAt }, ...rest });
}

function asRecord(topic: string, read: RecordRead | undefined): Parameters<typeof readEnvelope>[0] {
  return aRecord({ topic, key: read?.key ?? null, value: read?.value ?? null, headers: read?.headers ?? {} });
}

describe('handing off to a tier', () => {
  it('writes deliveries that can be read back, each to the partition of its source', async () => {
    const tier = await newTopic('retry', 3);
    const told = new Told();
    await using handoff = handoffTo([tier], uniqueName('dead'), { told });
    const deliveries = [deliveryFrom(0, 1), deliveryFrom(2, 2), deliveryFrom(4, 3), deliveryFrom(2, 4)];
    const written = await Promise.all(
      deliveries.map((delivery) => handoff.publishRetry(delivery, { tier: 0, dueAt }, ours)),
    );
    expect(written).toEqual(['written', 'written', 'written', 'written']);
    const records = await readTopic(kafka, tier);
    const places = records.map(({ partition, headers }) => `${partition}: ${headers['source-offset']}`);
    expect(places).toEqual(['0: 1', '1: 3', '2: 2', '2: 4']);
    expect(readEnvelope(asRecord(tier, records[0]))).toEqual({ kind: 'delivery', delivery: deliveries[0], dueAt });
    expect(told.lines).toEqual(Array.from({ length: 4 }, () => 'retryScheduled: 1 in 1m'));
  });

  it('sets a record aside until its batch goes', async () => {
    await using handoff = handoffTo([await newTopic('retry')], uniqueName('dead'));
    const told: string[] = [];
    const life = aRecordContext({ revoked: false, stillOwned: () => told.push('asked') > 0 }, told);
    const writing = handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, life);
    expect(told).toEqual(['set aside']);
    await writing;
    expect(told).toEqual(['set aside', 'taken up', 'asked']);
  });

  it('finds the one delivery that the broker refuses for its size among those it takes', async () => {
    const tier = await newTopic('retry', 1, { 'max.message.bytes': 3000 });
    await using handoff = handoffTo([tier], uniqueName('dead'));
    const large = deliveryFrom(0, 2, { body: Buffer.alloc(3000, 'x') });
    const deliveries = [deliveryFrom(0, 0), deliveryFrom(0, 1), large, deliveryFrom(0, 3)];
    const written = await Promise.all(
      deliveries.map((delivery) => handoff.publishRetry(delivery, { tier: 0, dueAt }, ours)),
    );
    expect(written).toEqual(['written', 'written', 'too_large', 'written']);
    const records = await readTopic(kafka, tier);
    expect(records.map(({ headers }) => headers['source-offset'])).toEqual(['0', '1', '3']);
    expect(handoff.failingTopics()).toEqual([]);
  });

  it('writes nothing of an assignment that is over: whoever has the partition now delivers it', async () => {
    const tier = await newTopic('retry');
    const told = new Told();
    await using handoff = handoffTo([tier], uniqueName('dead'), { told });
    const over = new Assignment({});
    over.revoke();
    expect(await handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, aRecordContext(over))).toBe('abandoned');
    expect(await handoff.publishRetry(deliveryFrom(0, 1), { tier: 0, dueAt }, ours)).toBe('written');
    expect((await readTopic(kafka, tier)).map(({ headers }) => headers['source-offset'])).toEqual(['1']);
    expect(told.lines).toEqual(['retryScheduled: 1 in 1m']);
  });

  it('waits for a topic that is missing and writes once it is there, and tells meanwhile', async () => {
    const tier = uniqueName('retry');
    const told = new Told();
    await using handoff = handoffTo([tier], uniqueName('dead'), { told });
    const failed = told.next('handoffFailed');
    const writing = handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
    await failed;
    expect(handoff.failingTopics()).toEqual([tier]);
    await createTopics(kafka, [{ topic: tier }]);
    expect(await writing).toBe('written');
    expect(await readTopic(kafka, tier)).toHaveLength(1);
    expect(handoff.failingTopics()).toEqual([]);
    expect(told.lines.at(0)).toBe(`handoffFailed: retry ${tier}`);
    expect(told.lines.at(-1)).toBe('retryScheduled: 1 in 1m');
  });

  it('starts afresh with another client when one fails for long', async () => {
    const tier = uniqueName('retry');
    const told = new Told();
    const producers: unknown[] = [];
    const counting: RetryPublisherOptions['kafka'] = {
      producer: (options) => {
        producers.push(options);
        return kafka.producer(options);
      },
    };
    await using handoff = handoffTo([tier], uniqueName('dead'), { told, kafka: counting });
    const writing = handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
    while (producers.length < 2) await told.next('handoffFailed');
    await createTopics(kafka, [{ topic: tier }]);
    expect(await writing).toBe('written');
    expect(told.lines.length).toBeGreaterThan(3);
  });

  it('goes on in one tier while another is deleted, and lets go of the lost one when it is disposed of', async () => {
    const [gone, stays] = [await newTopic('retry'), await newTopic('retry')];
    const told = new Told();
    let lost: Promise<string> = Promise.resolve('');
    {
      await using handoff = handoffTo([gone, stays], uniqueName('dead'), { told });
      await handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
      await handoff.publishRetry(deliveryFrom(0, 0), { tier: 1, dueAt }, ours);
      await deleteTopic(gone);
      const failed = told.next('handoffFailed');
      lost = handoff.publishRetry(deliveryFrom(0, 1), { tier: 0, dueAt }, ours);
      lost.catch(() => undefined);
      await failed;
      expect(await handoff.publishRetry(deliveryFrom(0, 1), { tier: 1, dueAt }, ours)).toBe('written');
      expect(handoff.failingTopics()).toEqual([gone]);
    }
    await expect(lost).rejects.toThrow(PublisherClosedError);
    expect(await readTopic(kafka, stays)).toHaveLength(2);
  });

  it('writes again to a topic that was deleted and made anew', async () => {
    const tier = await newTopic('retry');
    const told = new Told();
    await using handoff = handoffTo([tier], uniqueName('dead'), { told });
    await handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
    await deleteTopic(tier);
    const failed = told.next('handoffFailed');
    const writing = handoff.publishRetry(deliveryFrom(0, 1), { tier: 0, dueAt }, ours);
    await failed;
    await createTopics(kafka, [{ topic: tier }]);
    expect(await writing).toBe('written');
  });

  it('follows when partitions are added', async () => {
    const tier = await newTopic('retry', 1);
    await using handoff = handoffTo([tier], uniqueName('dead'));
    await handoff.publishRetry(deliveryFrom(1, 0), { tier: 0, dueAt }, ours);
    {
      await using admin = await connectAdmin(kafka);
      await admin.createPartitions({ topicPartitions: [{ topic: tier, count: 2 }] });
    }
    let offset = 0;
    await eventually('a delivery gets to the new partition', async () => {
      offset += 1;
      await handoff.publishRetry(deliveryFrom(1, offset), { tier: 0, dueAt }, ours);
      return (await readTopic(kafka, tier)).some(({ partition }) => partition === 1);
    });
    const records = await readTopic(kafka, tier);
    expect(records.map(({ headers }) => headers['source-offset'])).toContain(String(offset));
  });

  it('refuses what comes once it is disposed of', async () => {
    const handoff = handoffTo([uniqueName('retry')], uniqueName('dead'));
    await handoff[Symbol.asyncDispose]();
    await expect(handoff.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours)).rejects.toThrow(
      PublisherClosedError,
    );
  });
});

describe('burying', () => {
  it('writes a delivery with its value, and why it is dead', async () => {
    const topic = await newTopic('dead');
    const told = new Told();
    await using handoff = handoffTo([], topic, { told });
    const delivery = deliveryFrom(0, 5, { attempt: 7 });
    expect(await handoff.publishDeadLetter(delivery, { reason: 'exhausted', attemptsMade: 7, failedAt })).toBe(
      'exhausted',
    );
    const [record] = await readTopic(kafka, topic);
    expect(record).toMatchObject({ key: delivery.key, value: delivery.body });
    expect(record?.headers).toMatchObject({ attempt: '7', 'dead-letter-reason': 'exhausted' });
    expect(told.lines).toEqual(['deadLetterWritten: exhausted']);
  });

  it('writes a record as it came, with every header, and why it is dead', async () => {
    const topic = await newTopic('dead');
    await using handoff = handoffTo([], topic);
    const headers = [
      ['hop', Buffer.from('one')],
      ['hop', Buffer.from('two')],
      ['__proto__', Buffer.from('polluted')],
    ] as const;
    const record = aRecord({ value: Buffer.from('{'), headers });
    const death = { reason: 'undecodable', message: 'not JSON', failedAt } as const;
    expect(await handoff.publishRecordDeadLetter(record, death)).toBe('undecodable');
    const [letter] = await readTopic(kafka, topic);
    expect(letter).toMatchObject({ key: record.key, value: record.value });
    expect(letter?.headers).toMatchObject({ hop: 'one,two', 'failure-message': 'not JSON' });
  });

  it('drops the value of a delivery that is refused for its size', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 2000 });
    const told = new Told();
    await using handoff = handoffTo([], topic, { told });
    const delivery = deliveryFrom(0, 5, { body: Buffer.alloc(3000, 'x') });
    const reason = await handoff.publishDeadLetter(delivery, { reason: 'expired', attemptsMade: 0, failedAt });
    expect(reason).toBe('too_large');
    const [record] = await readTopic(kafka, topic);
    expect(record).toMatchObject({ key: delivery.key, value: null });
    expect(record?.headers).toMatchObject({ 'delivery-id': delivery.deliveryId, 'dead-letter-reason': 'too_large' });
    expect(told.lines).toEqual(['deadLetterWritten: too_large']);
  });

  it('drops key and headers too of a record that is still refused', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 2000 });
    await using handoff = handoffTo([], topic);
    const record = aRecord({ key: Buffer.alloc(3000, 'k'), headers: { large: 'x'.repeat(3000) } });
    const death = { reason: 'invalid_record', message: '_id is missing', failedAt } as const;
    expect(await handoff.publishRecordDeadLetter(record, death)).toBe('too_large');
    const [letter] = await readTopic(kafka, topic);
    expect(letter).toMatchObject({ key: null, value: null });
    expect(letter?.headers).toMatchObject({ 'failure-reason': 'invalid_record', 'dead-letter-reason': 'too_large' });
  });

  it('keeps trying when not even that is taken, until it is', async () => {
    const topic = await newTopic('dead', 1, { 'max.message.bytes': 100 });
    const told = new Told();
    const takesMore = Promise.withResolvers<void>();
    await using handoff = handoffTo([], topic, { told, clock: clockUntil(takesMore.promise) });
    const failed = told.next('handoffFailed');
    const death = { reason: 'exhausted', attemptsMade: 6, failedAt } as const;
    const buried = handoff.publishDeadLetter(deliveryFrom(0, 5), death);
    await failed;
    await allowLargerRecords(kafka, topic);
    takesMore.resolve();
    expect(await buried).toBe('exhausted');
    expect(told.lines.at(0)).toBe(`handoffFailed: dead_letter ${topic}`);
    expect(told.lines.at(-1)).toBe('deadLetterWritten: exhausted');
  });
});
