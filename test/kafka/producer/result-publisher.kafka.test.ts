import { describe, expect, it } from 'vitest';
import type { EndpointChange } from '../../../src/deliveries/gates/gates.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { partitionOf } from '../../../src/kafka/producer/key-partition.ts';
import { KafkaResultPublisher } from '../../../src/kafka/producer/result-publisher.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { unsubscribedFacts } from '../../../src/pipeline/delivery-facts.ts';
import { aDelivery, incompressibleText, type Document } from '../../support/builders.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { allowLargerRecords } from '../../support/kafka/larger-records.ts';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import { createTopics, topicsInSync, uniqueName } from '../../support/kafka/topics.ts';
import { eventually } from '../../support/time/eventually.ts';
import { clockUntil, fastClock } from '../support/fast-clock.ts';
import { deleteTopic, EmittedEvents, kafka, newTopic } from './retry-publisher-under-test.ts';

const ours = new Assignment({});

function publisherTo(
  topic: string,
  { partitions = 1, emitted = new EmittedEvents(), clock = fastClock }: Partial<PublisherOptions> = {},
): KafkaResultPublisher {
  const { events } = emitted;
  return new KafkaResultPublisher({
    kafka,
    topic,
    partitions,
    compression: 'none',
    events,
    clock,
    random: () => 0,
    lingerMs: 10,
  });
}

interface PublisherOptions {
  readonly partitions: number;
  readonly emitted: EmittedEvents;
  readonly clock: Clock;
}

function publish(publisher: KafkaResultPublisher, webhookId: string, assignment = ours): Promise<string> {
  return publisher.publish(aDelivery({ webhookId }), unsubscribedFacts, assignment);
}

function aChange(from: EndpointChange['from'], to: EndpointChange['to'], webhookId = 'w'): EndpointChange {
  const isFailing = to !== 'closed';
  return { webhookId, ownerId: 'o', from, to, failures: isFailing ? 3 : 0, failingSince: isFailing ? 0 : undefined };
}

function valuesOf(records: readonly RecordRead[]): readonly Document[] {
  return records.map(({ value }) => JSON.parse(String(value)) as Document);
}

describe('publishing results', () => {
  it('writes all records of a webhook to the partition that a Java producer chooses for its id', async () => {
    const topic = await newTopic('results', 5);
    await using publisher = publisherTo(topic, { partitions: 5 });
    const ids = Array.from({ length: 30 }, (_, index) => `webhook-${index}`);
    const written = await Promise.all([...ids, ...ids].map((id) => publish(publisher, id)));
    expect(new Set(written)).toEqual(new Set(['written']));
    const records = await readTopic(kafka, topic);
    expect(records).toHaveLength(60);
    for (const { key, partition } of records) expect(partition).toBe(partitionOf(key ?? Buffer.alloc(0), 5));
  });

  it('follows when partitions are added', async () => {
    const topic = await newTopic('results', 1);
    await using publisher = publisherTo(topic, { partitions: 1 });
    await publish(publisher, 'before');
    {
      await using admin = await connectAdmin(kafka);
      await admin.createPartitions({ topicPartitions: [{ topic, count: 7 }] });
    }
    await topicsInSync(kafka, [{ topic, partitions: 7 }]);
    const ids = Array.from({ length: 20 }, (_, index) => `webhook-${index}`);
    const areInPlace = async (): Promise<boolean> => {
      await Promise.all(ids.map((id) => publish(publisher, id)));
      const records = (await readTopic(kafka, topic)).toSorted((one, other) => one.timestamp - other.timestamp);
      const last = new Map(records.map((record) => [String(record.key), record.partition]));
      return ids.every((id) => last.get(id) === partitionOf(Buffer.from(id), 7));
    };
    // The client asks for the partitions at most every 2 s.
    await eventually('all keys are in the partitions of their hash', areInPlace);
    expect(publisher.failingTopics()).toEqual([]);
  });

  it('drops what an ended assignment left only while the topic refuses writes', async () => {
    const topic = await newTopic('results');
    const emitted = new EmittedEvents();
    await using publisher = publisherTo(topic, { emitted });
    const revoked = new Assignment({});
    revoked.revoke();
    expect(await publish(publisher, 'taken', revoked)).toBe('written');
    await deleteTopic(topic);
    const failed = emitted.next('handoffFailed');
    const writing = publish(publisher, 'kept');
    await failed;
    expect(await publish(publisher, 'dropped', revoked)).toBe('abandoned');
    await createTopics(kafka, [{ topic }]);
    expect(await writing).toBe('written');
    expect((await readTopic(kafka, topic)).map(({ key }) => String(key))).toEqual(['kept']);
  });

  it('tries again what the topic refuses for its size, and says so, until it is allowed', async () => {
    const topic = await newTopic('results', 1, { 'max.message.bytes': 1000 });
    const emitted = new EmittedEvents();
    const allowed = Promise.withResolvers<void>();
    await using publisher = publisherTo(topic, { emitted, clock: clockUntil(allowed.promise) });
    const failed = emitted.next('handoffFailed');
    const large = publish(publisher, incompressibleText(1500));
    const revoked = new Assignment({});
    const abandoned = publish(publisher, incompressibleText(1500), revoked);
    expect(await publish(publisher, 'small')).toBe('written');
    await failed;
    expect(publisher.failingTopics()).toEqual([topic]);
    expect(await publish(publisher, 'small')).toBe('written');
    expect(publisher.failingTopics()).toEqual([topic]);
    revoked.revoke();
    await allowLargerRecords(kafka, topic);
    allowed.resolve();
    expect(await abandoned).toBe('abandoned');
    expect(await large).toBe('written');
    expect(publisher.failingTopics()).toEqual([]);
  });
});

describe('publishing changes of endpoints', () => {
  it('writes each change in its order, the last before it is disposed of', async () => {
    const topic = await newTopic('results');
    {
      await using publisher = publisherTo(topic);
      publisher.circuitChanged(aChange('closed', 'open'));
      publisher.circuitChanged(aChange('open', 'half_open'));
      publisher.circuitChanged(aChange('closed', 'open', 'other'));
    }
    const values = valuesOf(await readTopic(kafka, topic));
    expect(values.filter(({ configurationId }) => configurationId === 'w')).toMatchObject([
      { type: 'endpoint.changed', ownerId: 'o', from: 'closed', to: 'open', failures: 3 },
      { from: 'open', to: 'half_open' },
    ]);
    expect(values.filter(({ configurationId }) => configurationId === 'other')).toHaveLength(1);
  });

  it('writes each change of an endpoint that fails once in three times, while the topic takes records', async () => {
    const topic = await newTopic('results');
    const states = ['closed', 'open', 'half_open', 'closed'] as const;
    {
      await using publisher = publisherTo(topic);
      for (let opening = 1; opening <= 22; opening += 1)
        states.slice(1).forEach((to, index) => publisher.circuitChanged(aChange(states[index] ?? 'closed', to)));
    }
    const changes = valuesOf(await readTopic(kafka, topic)).map(({ from }) => from);
    expect(changes).toEqual(Array.from({ length: 66 }, (_, index) => states[index % 3]));
  });

  it('makes one change of those that wait while the topic refuses writes', async () => {
    const topic = uniqueName('results');
    const emitted = new EmittedEvents();
    {
      await using publisher = publisherTo(topic, { emitted });
      const failed = emitted.next('handoffFailed');
      publisher.circuitChanged(aChange('closed', 'open'));
      await failed;
      for (let probe = 0; probe < 100; probe += 1) {
        publisher.circuitChanged(aChange('open', 'half_open'));
        publisher.circuitChanged(aChange('half_open', 'open'));
      }
      publisher.circuitChanged(aChange('open', 'closed'));
      await createTopics(kafka, [{ topic }]);
      while (publisher.failingTopics().length > 0) await publish(publisher, 'w');
    }
    const values = valuesOf(await readTopic(kafka, topic));
    expect(values.filter(({ type }) => type === 'endpoint.changed')).toMatchObject([
      { from: 'closed', to: 'open', failures: 3 },
      { from: 'open', to: 'closed', failures: 0 },
    ]);
  });
});
