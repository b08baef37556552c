import { describe, expect, it } from 'vitest';
import { createKafka } from '../../../src/kafka/client/kafka-client.ts';
import { startWebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';
import { createTopics } from '../../support/kafka/topics.ts';
import { eventually } from '../../support/time/eventually.ts';
import { needs } from '../../support/programs/needs.ts';
import { MapTable } from '../support/map-table.ts';
import { TopicEvents } from '../support/topic-events.ts';

describe('the webhook configurations’ topic without a broker', needs('java', 'maven'), () => {
  it('keeps its table, reports the outage, and catches up when the broker is back', async () => {
    await using cluster = await startLocalCluster();
    const kafka = quietClient(cluster.brokers);
    const topic = 'webhooks';
    await createTopics(kafka, [{ topic, settings: { 'cleanup.policy': 'compact' } }]);
    await produce(kafka, topic, [{ key: 'a', value: '1' }]);
    const table = new MapTable();
    const events = new TopicEvents();
    using client = createKafka({
      purpose: 'reading',
      brokers: cluster.brokers,
      clientId: 'test',
      log: () => undefined,
    });
    await using webhooks = startWebhookTopic({ kafka: client, topic, table, events, clock: systemClock });
    await webhooks.complete;
    await cluster.stop(1);
    await events.next('unreachable');
    const caughtUp = webhooks.caughtUp();
    expect(table.entries()).toEqual({ a: '1' });
    await eventually('it says so', async () => Promise.resolve(webhooks.status().problem !== undefined));
    expect(webhooks.status().problem).toMatch(/^reads from webhooks, which fail since \d+ s: /);
    expect(webhooks.status().lagRecords).toBe(1);
    await cluster.start(1);
    await caughtUp;
    await eventually('it is over', async () => Promise.resolve(webhooks.status().problem === undefined));
    await produce(kafka, topic, [{ key: 'a', value: '2' }]);
    await webhooks.caughtUp();
    expect(table.entries()).toEqual({ a: '2' });
  });
});
