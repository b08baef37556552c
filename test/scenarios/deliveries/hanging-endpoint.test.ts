import { describe, expect, it } from 'vitest';
import { decodeMetadata } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { aCertificateDocument } from '../../support/builders.ts';
import { hang, held, status } from '../../support/endpoints/answers.ts';
import { dropMembers } from '../../support/kafka/members.ts';
import { eventually } from '../../support/time/eventually.ts';
import { certificates, groupsOf, webhookAt, startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { runService } from '../../support/service/service-under-test.ts';

const inFlight = 'in_flight_deliveries{attempt="first"}';
const waiting = 'waiting_deliveries{attempt="first"}';

describe('an endpoint that hangs', { tags: ['I1', 'I7'] }, () => {
  it('does not delay later records of its partition, and holds the committed offset at its own record', async () => {
    await using platform = await startPlatform();
    const { endpoint } = platform;
    await platform.configure(
      webhookAt(platform, '/hanging', { _ownerId: 'hanging' }),
      webhookAt(platform, '/working', { _ownerId: 'working' }),
    );
    await using service = await runService(platform.environment);
    using hanging = held(status(500));
    endpoint.script('/hanging', hanging.answer, 200);
    const before = certificates(10, { _ownerId: 'working' });
    const after = certificates(100, { _ownerId: 'working' });
    await platform.complete(...before, aCertificateDocument({ _ownerId: 'hanging' }), ...after);

    // The hanging request is one of them, and stays in flight.
    await endpoint.received(111);
    await eventually('everything before it is committed', async () => (await committed(platform)) === 10);
    expect(await service.metric(`uncommitted_records{topic="${platform.topics.completed}",partition="0"}`)).toBe(101);
    hanging.release();
    await service.logged('delivery.attempted', 111);
    await eventually('its record is committed', async () => (await committed(platform)) === 111);
    expect(await platform.tier('300ms')).toHaveLength(1);
  });
});

describe('endpoints that hang at once, with more deliveries than the process may send', { tags: ['I4', 'I7'] }, () => {
  it('do not delay another endpoint in the same partition', async () => {
    // A quarter of the default capacity, for a quarter of the deliveries.
    await using platform = await startPlatform({ environment: { DELIVERY_MAX_IN_FLIGHT: '128' } });
    const { endpoint } = platform;
    const owners = Array.from({ length: 25 }, (_, number) => `hanging-${number}`);
    await platform.configure(
      ...[...owners, 'working'].map((owner) => webhookAt(platform, `/${owner}`, { _ownerId: owner })),
    );
    await using service = await runService(platform.environment);
    using hanging = held(status(200));
    for (const owner of owners) endpoint.script(`/${owner}`, hanging.answer);
    await platform.complete(...owners.flatMap((owner) => certificates(16, { _ownerId: owner })));
    await eventually('all of them hang', async () => ((await service.metric(inFlight)) ?? 0) >= owners.length);

    await platform.complete(...certificates(50, { _ownerId: 'working' }));
    await service.logged('delivery.attempted', 50, { ownerId: 'working', outcome: 'delivered' });
    expect(await service.metric(inFlight)).toBeGreaterThanOrEqual(owners.length);
  });
});

describe('a service that is killed while an endpoint hangs', { tags: ['I1'] }, () => {
  it('repeats only deliveries that were in flight or settled after the last commit', async () => {
    await using platform = await startPlatform({ environment: { LOG_LEVEL: 'info' } });
    const { endpoint } = platform;
    const [owners, count] = [20, 400];
    endpoint.script('/hanging', hang());
    await platform.configure(
      webhookAt(platform, '/hanging', { _ownerId: 'hanging' }),
      ...Array.from({ length: owners }, (_, owner) => webhookAt(platform, `/${owner}`, { _ownerId: `owner-${owner}` })),
    );
    const documents = Array.from({ length: count }, (_, index) =>
      aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % owners}` }),
    );
    await using killed = new ServiceProcess(platform.environment);
    await killed.ready();
    await platform.complete(aCertificateDocument({ _ownerId: 'hanging' }), ...documents);
    await endpoint.received(count + 1);
    // Only the hanging request is in flight. The other records are committed within a second.
    await eventually('all that is settled is in the commit', async () => (await settledAbove(platform)) === count);
    killed.signal('SIGKILL');
    await killed.exited();
    await dropMembers(platform.kafka, groupsOf(platform));
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

describe('a service that ends', { tags: ['I1', 'I2'] }, () => {
  it('finishes the request in flight, and moves waiting deliveries to the first tier until the next start', async () => {
    const environment = { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1' };
    await using platform = await startPlatform({ environment, delays: ['1h', '2h'] });
    const { endpoint } = platform;
    await platform.configure(webhookAt(platform, '/slow'));
    {
      await using service = await runService(platform.environment);
      using slow = held(status(200));
      endpoint.script('/slow', slow.answer, 200);
      await platform.complete(...certificates(5));
      await endpoint.received(1);
      await eventually('the others wait', async () => (await service.metric(waiting)) === 4);
      const stopped = service.stop();
      await eventually('they are in the tier', async () => (await platform.tier('1h')).length === 4);
      expect(endpoint.requests).toHaveLength(1);
      slow.release();
      expect(await stopped).toBe(true);
    }
    for (const { headers } of await platform.tier('1h')) {
      expect(headers).toMatchObject({ attempt: '0', deferrals: '0' });
      expect(Date.parse(headers['due-at'] ?? '')).toBeLessThanOrEqual(Date.now());
    }
    expect(await committed(platform)).toBe(5);

    await using next = await runService(platform.environment);
    const attempts = await next.logged('delivery.attempted', 4);
    expect(attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual(
      Array.from({ length: 4 }, () => ({ attempt: 1, outcome: 'delivered' })),
    );
    expect(endpoint.requests).toHaveLength(5);
  });
});

/** Returns how many records the commit's metadata lists as settled. */
async function settledAbove(platform: Platform): Promise<number> {
  const [commit] = await platform.commits();
  const ranges = commit === undefined ? [] : decodeMetadata(commit.offset, commit.metadata).settled;
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

async function committed(platform: Platform): Promise<number> {
  const [commit] = await platform.commits();
  return commit?.offset ?? -1;
}
