import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { TopicProducer } from '../../../src/kafka/producer/topic-producer.ts';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const maxInflatedMiB = 64;

describe('a batch that is too large when decompressed', () => {
  it('stops its own partition with a log line, while the others continue', async () => {
    await using platform = await startPlatform({ partitions: 2, environment: { HANDOFF_COMPRESSION: 'zstd' } });
    const { endpoint, topics, environment } = platform;
    await platform.configure(webhookAt(platform, '/hook'));
    using kafka = createKafka({
      purpose: 'writing',
      brokers: String(environment['KAFKA_BROKERS']).split(','),
      clientId: 'test',
      log: () => undefined,
    });
    await using producer = new TopicProducer({ kafka, topic: topics.completed, compression: 'zstd' });
    const zeros = Buffer.alloc((maxInflatedMiB + 1) * 1024 * 1024);
    expect(zstdCompressSync(zeros).length).toBeLessThan(10_000);
    const certificate = json(aCertificateDocument());
    await producer.send(0, [{ key: null, value: certificate, headers: [] }]);
    await producer.send(0, [{ key: null, value: zeros, headers: [] }]);
    await using service = await runService(environment);
    const [line] = await service.logged('partition.unreadable');
    expect(line).toMatchObject({ level: 'warn', topic: topics.completed, partition: 0, offset: 1 });
    expect(line?.['failure']).toContain('more than 64 MiB');
    await producer.send(1, [{ key: null, value: certificate, headers: [] }]);
    const requests = await endpoint.received(2);
    expect(requests.map(({ body }) => body.equals(certificate))).toEqual([true, true]);
    expect(await service.metric(`paused_partitions{topic="${topics.completed}",reason="undecodable"}`)).toBe(1);
  });
});
