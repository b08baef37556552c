import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';

describe('an instance that is paused for longer than its session', () => {
  it('leaves its unsent deliveries to the new owner of its partitions', { timeout: 120_000 }, async () => {
    const environment = {
      KAFKA_SESSION_TIMEOUT: '3s',
      DELIVERY_MAX_IN_FLIGHT: '8',
      LOG_LEVEL: 'info',
    };
    await using platform = await startPlatform({
      environment: { ...environment, DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '6' },
    });
    const { endpoint, topics, kafka } = platform;
    await platform.configure(
      ...Array.from({ length: 10 }, (_, owner) => webhookAt(platform, `/${owner}`, { _ownerId: `owner-${owner}` })),
    );
    await using frozen = new ServiceProcess(platform.environment);
    await frozen.ready();
    const records = Array.from({ length: 1000 }, (_, index) => ({
      key: 'owner',
      value: json(aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % 10}` })),
    }));
    await produce(kafka, topics.completed, records);
    await endpoint.received(100);
    frozen.signal('SIGSTOP');
    await using other = new ServiceProcess(platform.environment);
    await other.ready();
    await endpoint.received(1000);
    frozen.signal('SIGCONT');
    await frozen.logged('consumer.crashed', 1);
    await frozen.logged('consumer.joined', 4);

    const ids = endpoint.requests.map(({ body }) => (JSON.parse(body.toString()) as Document)['_id']);
    expect(new Set(ids).size).toBe(1000);
    // Repeats come from deliveries in flight or settled since the last commit, not from the hundreds that waited.
    expect(ids.length - 1000).toBeLessThan(300);
  });
});
