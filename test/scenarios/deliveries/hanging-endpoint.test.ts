import { describe, expect, it } from 'vitest';
import { decodeMetadata } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { hang, later, status } from '../../support/endpoints/answers.ts';
import { aCertificateDocument } from '../../support/builders.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { eventually } from '../../support/time/eventually.ts';
import { certificates, webhookAt, startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { runService } from '../../support/service/service-under-test.ts';

const shortTimeouts = { DELIVERY_CONNECT_TIMEOUT: '5s', DELIVERY_TIMEOUT: '6s', SHUTDOWN_GRACE: '11s' };
const inFlight = 'in_flight_deliveries{attempt="first"}';

describe('an endpoint that hangs', () => {
  it('does not delay later records of its partition, and holds the committed offset at its own record', async () => {
    await using platform = await startPlatform({ environment: shortTimeouts });
    const { endpoint } = platform;
    endpoint.script('/hanging', hang());
    await platform.configure(
      webhookAt(platform, '/hanging', { _ownerId: 'hanging' }),
      webhookAt(platform, '/working', { _ownerId: 'working' }),
    );
    await using service = await runService(platform.environment);
    const before = certificates(10, { _ownerId: 'working' });
    const after = certificates(100, { _ownerId: 'working' });
    await platform.complete(...before, aCertificateDocument({ _ownerId: 'hanging' }), ...after);

    await endpoint.received(111, 4000);
    await eventually('everything before it is committed', async () => (await committed(platform)) === 10, {
      withinMs: 4000,
    });
    expect(await service.metric(`uncommitted_records{topic="${platform.topics.completed}",partition="0"}`)).toBe(101);
    await service.logged('delivery.attempted', 111);
    await eventually('its record is committed', async () => (await committed(platform)) === 111);
    expect(await platform.tier('300ms')).toHaveLength(1);
  });
});

describe('a hundred endpoints that hang at once', () => {
  it('do not delay another endpoint in the same partition', async () => {
    await using platform = await startPlatform({ environment: shortTimeouts });
    const { endpoint } = platform;
    const hanging = Array.from({ length: 100 }, (_, number) => `hanging-${number}`);
    for (const owner of hanging) endpoint.script(`/${owner}`, hang());
    await platform.configure(
      ...[...hanging, 'working'].map((owner) => webhookAt(platform, `/${owner}`, { _ownerId: owner })),
    );
    await using service = await runService(platform.environment);
    await platform.complete(...hanging.flatMap((owner) => certificates(16, { _ownerId: owner })));
    await eventually('all of them hang', async () => ((await service.metric(inFlight)) ?? 0) >= 100);

    await platform.complete(...certificates(50, { _ownerId: 'working' }));
    const served = (): number => endpoint.requests.filter(({ path }) => path === '/working').length;
    await eventually('the other endpoint has its deliveries', async () => served() === 50, { withinMs: 4000 });
    expect(await service.metric(inFlight)).toBeGreaterThanOrEqual(100);
  });
});

describe('a service that is killed while an endpoint hangs', () => {
  it('repeats only deliveries that were in flight or settled after the last commit', { timeout: 90_000 }, async () => {
    const environment = { DELIVERY_TIMEOUT: '20s', LOG_LEVEL: 'info' };
    await using platform = await startPlatform({ environment });
    const { endpoint } = platform;
    endpoint.script('/hanging', hang());
    await platform.configure(
      webhookAt(platform, '/hanging', { _ownerId: 'hanging' }),
      ...Array.from({ length: 20 }, (_, owner) => webhookAt(platform, `/${owner}`, { _ownerId: `owner-${owner}` })),
    );
    const documents = Array.from({ length: 4000 }, (_, index) =>
      aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % 20}` }),
    );
    await using killed = new ServiceProcess(platform.environment);
    await killed.ready();
    await platform.complete(aCertificateDocument({ _ownerId: 'hanging' }));
    for (let start = 0; start < documents.length; start += 1000) {
      await platform.complete(...documents.slice(start, start + 1000));
    }
    await endpoint.received(4001);
    // Only the hanging request is in flight. The other records are committed within a second.
    await eventually('all that is settled is in the commit', async () => (await settledAbove(platform)) === 4000);
    killed.signal('SIGKILL');
    await killed.exited();
    const { length: before } = endpoint.requests;

    expect(await committed(platform)).toBe(0);
    await using restarted = new ServiceProcess(platform.environment);
    await restarted.ready();
    await endpoint.received(before + 1);
    await platform.complete(aCertificateDocument({ _id: 'the last', _ownerId: 'owner-0' }));
    await endpoint.received(before + 2);
    const paths = endpoint.requests.slice(before).map(({ path }) => path);
    expect(paths).toEqual(['/hanging', '/0']);
  });
});

describe('a service that ends', () => {
  it('finishes the request in flight, and moves waiting deliveries to the first tier', async () => {
    const environment = { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1', CIRCUIT_FAILURES: '100' };
    await using platform = await startPlatform({ environment, delays: ['1h', '2h'] });
    const { endpoint } = platform;
    endpoint.script('/slow', later(1000, status(200)));
    await platform.configure(webhookAt(platform, '/slow'));
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

  it('delivers the moved deliveries after a restart', async () => {
    const environment = { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1' };
    await using platform = await startPlatform({ environment, delays: ['1h', '2h'] });
    platform.endpoint.script('/slow', later(500, status(200)), status(200));
    await platform.configure(webhookAt(platform, '/slow'));
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

/** Returns how many records the commit's metadata lists as settled. */
async function settledAbove({ kafka, environment, topics }: Platform): Promise<number> {
  const group = String(environment['KAFKA_GROUP_ID']);
  const [commit] = await committedOffsets(kafka, { group, topic: topics.completed });
  const ranges = commit === undefined ? [] : decodeMetadata(commit.offset, commit.metadata).settled;
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

async function committed({ kafka, environment, topics }: Platform): Promise<number> {
  const [commit] = await committedOffsets(kafka, {
    group: String(environment['KAFKA_GROUP_ID']),
    topic: topics.completed,
  });
  return commit?.offset ?? -1;
}
