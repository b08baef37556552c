import { describe, expect, it } from 'vitest';
import { clientOf } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { PublisherClosedError } from '../../../src/kafka/producer/partition-writer.ts';
import type { RetryPublisherOptions } from '../../../src/kafka/producer/retry-publisher.ts';
import { readEnvelope } from '../../../src/kafka/records/envelope.ts';
import { TierWatch } from '../../../src/kafka/topics/tier-watch.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { aRecordContext } from '../../support/service/record-context.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { eventually } from '../../support/time/eventually.ts';
import {
  asRecord,
  deleteTopic,
  deliveryFrom,
  dueAt,
  EmittedEvents,
  kafka,
  service,
  newTopic,
  publisherTo,
} from './retry-publisher-under-test.ts';

const ours = aRecordContext();
const unreachable = { kafkaUnreachable: ({ error }: { readonly error: unknown }): never => expect.fail(String(error)) };

/** Ends the compaction of a tier. */
async function endCompaction(tier: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const configEntries = [{ name: 'cleanup.policy', value: 'delete' }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: tier, configEntries }] });
}

/** Resolves once a look at the tiers has found fewer unsafe ones. */
async function seeRepair(tierWatch: TierWatch, clock: ManualClock): Promise<void> {
  const before = tierWatch.unsafeTiers();
  await eventually('a tier is repaired', async () => {
    const looked = tierWatch.nextLook();
    await clock.advance(15_000);
    await looked;
    return tierWatch.unsafeTiers() < before;
  });
}

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

  it('avoids tiers that would lose it, says why, and uses them once they are fixed', async () => {
    const compacted = await newTopic('retry.compacted', 1, { 'cleanup.policy': 'compact' });
    const expiring = await newTopic('retry.expiring', 1, { 'retention.ms': 60_000 });
    const safe = await newTopic('retry.safe');
    const missing = uniqueName('retry.missing');
    const tiers = [compacted, expiring, safe, missing];
    const clock = new ManualClock();
    const topicsMissing: string[] = [];
    await using tierWatch = new TierWatch({
      kafka: clientOf(kafka),
      tiers,
      maxAgeMs: 3_600_000,
      events: { ...unreachable, topicsMissing: (topics) => topicsMissing.push(topics.join()) },
      clock,
    });
    await using publisher = publisherTo(tiers, uniqueName('dead'), { tierWatch });
    const publish = (tier: number): Promise<unknown> =>
      publisher.publishRetry(deliveryFrom(0, tier), { tier, dueAt }, ours);
    expect(await Promise.all(tiers.map((_topic, tier) => publish(tier)))).toEqual(Array(4).fill('written'));
    expect(await readTopic(kafka, safe)).toHaveLength(4);
    expect(tierWatch.problems()).toEqual([
      expect.stringContaining(`writes to ${compacted}, which is compacted`),
      expect.stringContaining(`writes to ${expiring}, which keeps records 0 h`),
    ]);
    expect([topicsMissing, tierWatch.unsafeTiers()]).toEqual([[missing], 3]);
    await endCompaction(compacted);
    await seeRepair(tierWatch, clock);
    await publish(0);
    expect(await readTopic(kafka, compacted)).toHaveLength(1);
    await createTopics(kafka, [{ topic: missing }]);
    await seeRepair(tierWatch, clock);
    await publish(3);
    expect(await readTopic(kafka, missing)).toHaveLength(1);
    expect(new Set(topicsMissing)).toEqual(new Set([missing, '']));
  });

  it('waits while no tier is safe, and goes on once one is', async () => {
    const tier = await newTopic('retry');
    const asked = Promise.withResolvers<'waits'>();
    const look = Promise.withResolvers<void>();
    const safe = new Set<number>();
    const nextLook = (): Promise<void> => {
      asked.resolve('waits');
      return look.promise;
    };
    await using publisher = publisherTo([tier], uniqueName('dead'), {
      tierWatch: { writable: (one) => (safe.has(one) ? one : undefined), nextLook },
    });
    const written = publisher.publishRetry(deliveryFrom(0, 1), { tier: 0, dueAt }, ours);
    expect(await Promise.race([asked.promise, written])).toBe('waits');
    safe.add(0);
    look.resolve();
    expect(await written).toBe('written');
  });

  it('starts again with another client when one fails for long', async () => {
    const tier = uniqueName('retry');
    const emitted = new EmittedEvents();
    const producers: unknown[] = [];
    const counting: RetryPublisherOptions['kafka'] = {
      producer: (options) => {
        producers.push(options);
        return service.producer(options);
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
