import type { Kafka } from 'kafkajs';
import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { openTopicLog } from '../../../src/kafka/kafkajs/topic-log.ts';
import { connectAdmin, quietClient, repairedClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { eventually } from '../../support/time/eventually.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

/** Adds the name of each answered request of the client's consumers to the list. */
function watchRequests(client: Kafka, names: string[]): Kafka {
  const consumer: Kafka['consumer'] = (config) => {
    const created = client.consumer(config);
    created.on(created.events.REQUEST, ({ payload }) => names.push(payload.apiName));
    return created;
  };
  return Object.assign(Object.create(client) as Kafka, { consumer });
}

describe('a refresh of a topic log', () => {
  it('is one request while nothing has changed, and finds added partitions', async () => {
    const topic = uniqueName('log');
    await createTopics(kafka, [{ topic, partitions: 1 }]);
    await using admin = await connectAdmin(kafka);
    const requests: string[] = [];
    await using log = openTopicLog(watchRequests(repairedClient(brokers), requests), topic);
    await log.refresh();
    requests.length = 0;
    await log.refresh();
    expect(requests).toEqual(['Metadata']);
    await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
    // The broker that is asked may learn of the partition after the controller has confirmed it.
    await eventually('the log has the added partition', async () => {
      await log.refresh();
      return log.leaders().size === 2;
    });
    expect(new Set(log.leaders().keys())).toEqual(new Set([0, 1]));
    expect(log.id()).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('closing a topic log', () => {
  it('does not wait for a fetch that a broker holds', async () => {
    const topic = uniqueName('log');
    await createTopics(kafka, [{ topic, partitions: 1 }]);
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const log = client.openLog(topic);
    await log.refresh();
    const fetch = (waitMs: number): Promise<unknown> =>
      log.fetch(log.leaders().get(0) ?? -1, new Map([[0, 0]]), waitMs).catch((error: unknown) => error);
    // Opens the connection, so that the next fetch is sent before the answer to a later request comes.
    await fetch(1);
    const fetched = fetch(60_000);
    await log.ends();
    await log[Symbol.asyncDispose]();
    expect(await fetched).toMatchObject({ name: 'ConsumerStoppedError' });
  });
});
