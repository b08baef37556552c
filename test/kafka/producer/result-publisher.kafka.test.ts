import { describe, expect, it } from 'vitest';
import type { EndpointChange } from '../../../src/flow/gates.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { partitionOf } from '../../../src/kafka/producer/key-partition.ts';
import { KafkaResultPublisher, type ResultPublisherOptions } from '../../../src/kafka/producer/result-publisher.ts';
import type { OwedResult } from '../../../src/kafka/records/envelope.ts';
import { unsubscribedFacts } from '../../../src/pipeline/delivery-reporter.ts';
import { aDelivery, incompressibleText, type Document } from '../../support/builders.ts';
import { allowLargerRecords } from '../../support/kafka/larger-records.ts';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { eventually } from '../../support/time/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';
import { EmittedEvents, kafka, newTopic, service } from './retry-publisher-under-test.ts';

const ours = new Assignment({});

function publisherTo(
  topic: string,
  {
    partitions = 1,
    emitted = new EmittedEvents(),
    owed = [],
    lingerMs = 10,
    owe = keepIn(owed),
  }: Partial<PublisherOptions> = {},
): KafkaResultPublisher {
  const { events } = emitted;
  return new KafkaResultPublisher({
    kafka: service,
    topic,
    partitions,
    compression: 'none',
    owe,
    events,
    clock: fastClock,
    random: () => 0,
    lingerMs,
  });
}

interface PublisherOptions {
  readonly partitions: number;
  readonly emitted: EmittedEvents;
  /** Gets the results that are written to a tier. */
  readonly owed: OwedResult[];
  readonly owe: ResultPublisherOptions['owe'];
  readonly lingerMs: number;
}

function keepIn(owed: OwedResult[]): ResultPublisherOptions['owe'] {
  return (result) => {
    owed.push(result);
    return Promise.resolve('written');
  };
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

  it('owes what the topic refuses once, and pays it when it is tried again', async () => {
    const topic = uniqueName('results');
    const emitted = new EmittedEvents();
    const owed: OwedResult[] = [];
    await using publisher = publisherTo(topic, { emitted, owed });
    const [first, second] = [publish(publisher, 'w'), publish(publisher, 'w')];
    expect(await Promise.all([first, second])).toEqual(['written', 'written']);
    expect(owed.map(({ timesOwed, partition }) => [timesOwed, partition])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const [debt] = owed;
    await createTopics(kafka, [{ topic }]);
    if (debt === undefined) throw new RangeError('nothing is owed');
    await eventually('it is paid', async () => (await publisher.pay({ ...debt, timesOwed: 1 }, ours)) === 'written');
    expect(valuesOf(await readTopic(kafka, topic))).toEqual([expect.objectContaining({ configurationId: 'w' })]);
    expect(publisher.failingTopics()).toEqual([]);
  });

  it('owes what waits for its write, and what comes later, as soon as an assignment is cut off', async () => {
    const topic = await newTopic('results');
    const owed: OwedResult[] = [];
    await using publisher = publisherTo(topic, { owed, lingerMs: 600_000 });
    const cut = new Assignment({});
    const published = publish(publisher, 'w', cut);
    cut.cutOff();
    publisher.abort();
    expect([await published, await publish(publisher, 'w', cut), owed.length]).toEqual(['written', 'written', 2]);
  });

  it('takes a result for abandoned that neither the topic nor a tier takes', async () => {
    await using publisher = publisherTo(uniqueName('results'), { owe: () => Promise.resolve('abandoned') });
    expect(await publish(publisher, 'w')).toBe('abandoned');
  });

  it('shortens what the topic refuses for its size, and says so if that is refused, too', async () => {
    const topic = await newTopic('results', 1, { 'max.message.bytes': 1000 });
    const owed: OwedResult[] = [];
    await using publisher = publisherTo(topic, { owed });
    const ids = { webhookId: 'w', ownerId: incompressibleText(700), certificateId: incompressibleText(700) };
    await publisher.publish(aDelivery(ids), unsubscribedFacts, ours);
    const [value] = valuesOf(await readTopic(kafka, topic));
    expect(Object.keys(value ?? {})).toEqual(['type', 'at', 'configurationId', 'deliveryId', 'attempt']);
    expect(owed).toEqual([]);
    const large = incompressibleText(1500);
    expect(await publish(publisher, large)).toBe('written');
    expect([owed.length, publisher.failingTopics()]).toEqual([1, [topic]]);
    await allowLargerRecords(kafka, topic);
    expect(await publish(publisher, large)).toBe('written');
    expect([owed.length, publisher.failingTopics()]).toEqual([1, []]);
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
      for (const validUntil of [1, 2]) publisher.certificateExpiring({ webhookId: 'w', ownerId: 'o', validUntil });
    }
    const values = valuesOf(await readTopic(kafka, topic));
    expect(values.filter(({ configurationId }) => configurationId === 'w')).toMatchObject([
      { type: 'endpoint.changed', ownerId: 'o', from: 'closed', to: 'open', failures: 3 },
      { from: 'open', to: 'half_open' },
      { type: 'endpoint.certificate_expiring', validUntil: '1970-01-01T00:00:00.002Z' },
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
