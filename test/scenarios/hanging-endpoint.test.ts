import { describe, expect, it } from 'vitest';
import { hang, later, status } from '../support/answers.ts';
import { aCertificateDocument } from '../support/builders.ts';
import { committedOffsets } from '../support/kafka/commits.ts';
import { eventually } from '../support/kafka/eventually.ts';
import { certificates, hook, startPlatform, type Platform } from '../support/platform.ts';
import { runService } from '../support/service.ts';

describe('an endpoint that hangs', () => {
  it('leaves later records of the same partition delivered, and the committed offset below its own', async () => {
    await using platform = await startPlatform({
      environment: { DELIVERY_CONNECT_TIMEOUT: '5s', DELIVERY_TIMEOUT: '6s', SHUTDOWN_GRACE: '11s' },
    });
    const { endpoint } = platform;
    endpoint.script('/hanging', hang());
    await platform.configure(
      hook(platform, '/hanging', { _ownerId: 'hanging' }),
      hook(platform, '/well', { _ownerId: 'well' }),
    );
    await using service = await runService(platform.environment);
    const before = certificates(10, { _ownerId: 'well' });
    const after = certificates(100, { _ownerId: 'well' });
    await platform.complete(...before, aCertificateDocument({ _ownerId: 'hanging' }), ...after);

    await endpoint.received(111, 4000);
    await eventually('everything before it is committed', async () => (await committed(platform)) === 10, {
      withinMs: 4000,
    });
    expect(await service.metric(`uncommitted_records{topic="${platform.topics.completed}",partition="0"}`)).toBe(101);
    await service.logged('delivery.attempted', 111);
    await eventually('it is out of the way', async () => (await committed(platform)) === 111);
    expect(await platform.tier('300ms')).toHaveLength(1);
  });
});

describe('a service that ends', () => {
  it('finishes the request that is out, and hands what waits to the first tier', async () => {
    const environment = { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1', CIRCUIT_FAILURES: '100' };
    await using platform = await startPlatform({ environment, delays: ['1h', '2h'] });
    const { endpoint } = platform;
    endpoint.script('/slow', later(1000, status(200)));
    await platform.configure(hook(platform, '/slow'));
    const service = await runService(platform.environment);
    await platform.complete(...certificates(5));
    await endpoint.received(1);
    await eventually(
      'the others wait',
      async () => (await service.metric('waiting_deliveries{attempt="first"}')) === 4,
    );

    expect(await service.stop()).toBe(true);
    const handedOver = await platform.tier('1h');
    expect(endpoint.requests).toHaveLength(1);
    expect(handedOver).toHaveLength(4);
    for (const { headers } of handedOver) {
      expect(headers).toMatchObject({ attempt: '0', deferrals: '0' });
      expect(Date.parse(headers['due-at'] ?? '')).toBeLessThanOrEqual(Date.now());
    }
    expect(await committed(platform)).toBe(5);
  });

  it('delivers what it handed over as soon as it is back', async () => {
    const environment = { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1' };
    await using platform = await startPlatform({ environment, delays: ['1h', '2h'] });
    platform.endpoint.script('/slow', later(500, status(200)), status(200));
    await platform.configure(hook(platform, '/slow'));
    const first = await runService(platform.environment);
    await platform.complete(...certificates(5));
    await platform.endpoint.received(1);
    await eventually('the others wait', async () => (await first.metric('waiting_deliveries{attempt="first"}')) === 4);
    await first.stop();
    await using second = await runService(platform.environment);
    await platform.endpoint.received(5);
    const attempts = await second.logged('delivery.attempted', 4);
    expect(attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual(
      Array.from({ length: 4 }, () => ({ attempt: 1, outcome: 'delivered' })),
    );
  });
});

async function committed({ kafka, environment, topics }: Platform): Promise<number> {
  const [commit] = await committedOffsets(kafka, {
    group: String(environment['KAFKA_GROUP_ID']),
    topic: topics.completed,
  });
  return commit?.offset ?? -1;
}
