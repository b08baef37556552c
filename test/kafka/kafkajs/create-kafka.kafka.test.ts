import { describe, expect, inject, it } from 'vitest';
import type { KafkaLogEntry } from '../../../src/kafka/client/kafka.ts';
import { clientClosed } from '../../../src/kafka/kafkajs/broker-sockets.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';

describe('a Kafka client', () => {
  it('leaves no connection and no timer when it is disposed while connected, and logs nothing', async () => {
    const entries: KafkaLogEntry[] = [];
    const log = (entry: KafkaLogEntry): void => void entries.push(entry);
    const kafka = createKafka({ purpose: 'admin', brokers: inject('kafka'), clientId: 'test', log });
    const admin = kafka.admin();
    await admin.connect();
    kafka[Symbol.dispose]();
    await expect(admin.describeCluster()).rejects.toThrow(clientClosed);
    expect(entries).toEqual([]);
  });
});
