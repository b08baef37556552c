import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/client/kafka-client.ts';
import { openTopicLog } from '../../../src/kafka/reader/topic-log.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

describe('closing a topic log', () => {
  it('does not wait for a fetch that a broker holds', async () => {
    const topic = uniqueName('log');
    await createTopics(kafka, [{ topic, partitions: 1 }]);
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const log = openTopicLog(client, topic);
    await log.refresh();
    const fetch = (waitMs: number): Promise<unknown> =>
      log.fetch(log.leaders().get(0) ?? -1, new Map([[0, 0]]), waitMs).catch((error: unknown) => error);
    // Opens the connection, so that the next fetch is sent before the answer to a later request comes.
    await fetch(1);
    const fetched = fetch(60_000);
    await log.ends([0]);
    await log[Symbol.asyncDispose]();
    expect(await fetched).toMatchObject({ name: 'ConsumerStoppedError' });
  });
});
