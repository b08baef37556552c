import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { held, status } from '../../support/endpoints/answers.ts';
import { produce } from '../../support/kafka/records.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';

const [owners, certificates] = [5, 100];
/** The most first attempts that the paused process has in flight. */
const inFlight = 6;

describe('an instance that is paused for longer than its session', () => {
  it('leaves its unsent deliveries to the new owner of its partitions', async () => {
    await using platform = await startPlatform({
      environment: {
        // The shortest.
        KAFKA_SESSION_TIMEOUT: '3s',
        DELIVERY_MAX_IN_FLIGHT: String((inFlight * 4) / 3),
        DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: String(inFlight),
        LOG_LEVEL: 'info',
      },
    });
    const { endpoint, topics, kafka } = platform;
    const paths = Array.from({ length: owners }, (_, owner) => `/${owner}`);
    using answers = held(status(200));
    for (const path of paths) endpoint.script(path, answers.answer);
    await platform.configure(...paths.map((path, owner) => webhookAt(platform, path, { _ownerId: `owner-${owner}` })));
    await using paused = new ServiceProcess(platform.environment);
    await paused.ready();
    const records = Array.from({ length: certificates }, (_, index) => ({
      value: json(aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % owners}` })),
    }));
    await produce(kafka, topics.completed, records);
    await endpoint.received(inFlight - 1);
    paused.signal('SIGSTOP');
    await using other = new ServiceProcess(platform.environment);
    await other.ready();
    answers.release();
    await other.logged('delivery.attempted', certificates);
    paused.signal('SIGCONT');
    await paused.logged('consumer.crashed', 1);
    await paused.logged('consumer.joined', 4);

    const ids = endpoint.requests.map(({ body }) => (JSON.parse(body.toString()) as Document)['_id']);
    expect(new Set(ids).size).toBe(certificates);
    // What was in flight is repeated. What waited is not.
    expect(ids.length - certificates).toBeLessThanOrEqual(inFlight);
  });
});
