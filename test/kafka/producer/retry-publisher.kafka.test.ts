import { describe, expect, it } from 'vitest';
import { PublisherClosedError } from '../../../src/kafka/producer/partition-writer.ts';
import type { RetryPublisherOptions } from '../../../src/kafka/producer/retry-publisher.ts';
import { readEnvelope } from '../../../src/kafka/records/envelope.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { aRecordContext } from '../../support/service/record-context.ts';
import { eventually } from '../../support/time/eventually.ts';
import {
  asRecord,
  deleteTopic,
  deliveryFrom,
  dueAt,
  EmittedEvents,
  kafka,
  newTopic,
  publisherTo,
} from './retry-publisher-under-test.ts';

const ours = aRecordContext();

describe('publishing a retry', () => {
  it('writes deliveries that can be read back, each to the partition of its source', async () => {
    const tier = await newTopic('retry', 3);
    const emitted = new EmittedEvents();
    await using publisher = publisherTo([tier], uniqueName('dead'), { emitted });
    const deliveries = [deliveryFrom(0, 1), deliveryFrom(2, 2), deliveryFrom(4, 3), deliveryFrom(2, 4)];
    const written = await Promise.all(
      deliveries.map((delivery) => publisher.publishRetry(delivery, { tier: 0, dueAt }, ours)),
    );
    expect(written).toEqual(['written', 'written', 'written', 'written']);
    const records = await readTopic(kafka, tier);
    const places = records.map(({ partition, headers }) => `${partition}: ${headers['source-offset']}`);
    expect(places).toEqual(['0: 1', '1: 3', '2: 2', '2: 4']);
    expect(readEnvelope(asRecord(tier, records[0]))).toEqual({ kind: 'delivery', delivery: deliveries[0], dueAt });
    expect(emitted.lines).toEqual(Array.from({ length: 4 }, () => 'retryScheduled: 1 in 1m'));
  });

  it('starts again with another client when one fails for long', async () => {
    const tier = uniqueName('retry');
    const emitted = new EmittedEvents();
    const producers: unknown[] = [];
    const counting: RetryPublisherOptions['kafka'] = {
      producer: (options) => {
        producers.push(options);
        return kafka.producer(options);
      },
    };
    await using publisher = publisherTo([tier], uniqueName('dead'), { emitted, kafka: counting });
    const writing = publisher.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
    while (producers.length < 2) await emitted.next('handoffFailed');
    await createTopics(kafka, [{ topic: tier }]);
    expect(await writing).toBe('written');
    expect(emitted.lines.length).toBeGreaterThan(3);
  });

  it('goes on in one tier while another is deleted, and rejects its writes when it is disposed of', async () => {
    const [gone, stays] = [await newTopic('retry'), await newTopic('retry')];
    const emitted = new EmittedEvents();
    let lost: Promise<string> = Promise.resolve('');
    {
      await using publisher = publisherTo([gone, stays], uniqueName('dead'), { emitted });
      await publisher.publishRetry(deliveryFrom(0, 0), { tier: 0, dueAt }, ours);
      await publisher.publishRetry(deliveryFrom(0, 0), { tier: 1, dueAt }, ours);
      await deleteTopic(gone);
      const failed = emitted.next('handoffFailed');
      lost = publisher.publishRetry(deliveryFrom(0, 1), { tier: 0, dueAt }, ours);
      lost.catch(() => undefined);
      await failed;
      expect(await publisher.publishRetry(deliveryFrom(0, 1), { tier: 1, dueAt }, ours)).toBe('written');
      expect(publisher.failingTopics()).toEqual([gone]);
    }
    await expect(lost).rejects.toThrow(PublisherClosedError);
    expect(await readTopic(kafka, stays)).toHaveLength(2);
  });

  it('follows when partitions are added', async () => {
    const tier = await newTopic('retry', 1);
    await using publisher = publisherTo([tier], uniqueName('dead'));
    await publisher.publishRetry(deliveryFrom(1, 0), { tier: 0, dueAt }, ours);
    {
      await using admin = await connectAdmin(kafka);
      await admin.createPartitions({ topicPartitions: [{ topic: tier, count: 2 }] });
    }
    let offset = 0;
    await eventually('a delivery gets to the new partition', async () => {
      offset += 1;
      await publisher.publishRetry(deliveryFrom(1, offset), { tier: 0, dueAt }, ours);
      return (await readTopic(kafka, tier)).some(({ partition }) => partition === 1);
    });
    const records = await readTopic(kafka, tier);
    expect(records.map(({ headers }) => headers['source-offset'])).toContain(String(offset));
  });
});
