import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../src/kafka/client.ts';

describe('a Kafka client', () => {
  it('leaves no connection and no timer when it is disposed of while it is connected', async () => {
    using kafka = createKafka({ purpose: 'asking', brokers: inject('kafka'), clientId: 'test', log: () => undefined });
    const admin = kafka.admin();
    await admin.connect();
    await expect(admin.listTopics()).resolves.toBeInstanceOf(Array);
  });
});
