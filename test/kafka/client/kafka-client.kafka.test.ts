import { describe, expect, inject, it } from 'vitest';
import { clientClosed } from '../../../src/kafka/client/broker-sockets.ts';
import type { KafkaLogEntry } from '../../../src/kafka/client/client-log.ts';
import { createKafka } from '../../../src/kafka/client/kafka-client.ts';

describe('a Kafka client', () => {
  it('leaves no connection and no timer when it is disposed while connected, and logs nothing', async () => {
    const entries: KafkaLogEntry[] = [];
    const log = (entry: KafkaLogEntry): void => void entries.push(entry);
    const kafka = createKafka({ purpose: 'admin', brokers: inject('kafka'), clientId: 'test', log });
    const admin = kafka.admin();
    await admin.connect();
    kafka[Symbol.dispose]();
    await expect(admin.listTopics()).rejects.toThrow(clientClosed);
    expect(entries).toEqual([]);
  });
});
