import { describe, expect, it } from 'vitest';
import { held, status } from '../../support/endpoints/answers.ts';
import { groupState } from '../../support/kafka/members.ts';
import { certificates, webhookAt, startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';

// The chart's roll-out has a surge of one: the next pod starts while the old one drains.
describe('a roll-out in which the next instance joins while the old one drains', () => {
  it('lets the requests of the old one finish, and repeats none of them', async () => {
    await using platform = await startPlatform({ partitions: 4 });
    const { endpoint, environment, kafka } = platform;
    using slow = held(status(200));
    endpoint.script('/slow', slow.answer);
    await platform.configure(
      webhookAt(platform, '/slow', { _ownerId: 'slow' }),
      webhookAt(platform, '/quick', { _ownerId: 'quick' }),
    );
    await using old = new ServiceProcess(environment);
    await old.ready();
    await platform.complete(...certificates(8, { _ownerId: 'slow' }));
    await endpoint.received(8);
    old.signal('SIGTERM');
    await using next = new ServiceProcess(environment);
    const group = String(environment['KAFKA_GROUP_ID']);
    const isAwaited = async (): Promise<boolean> => (await groupState(kafka, group)) === 'PreparingRebalance';
    await eventually('the group waits for the old one', isAwaited);
    slow.release();
    expect(await old.exited()).toEqual({ code: 0, signal: null });
    await next.ready();
    await platform.complete(...certificates(1, { _ownerId: 'quick' }));
    await endpoint.received(9);
    next.signal('SIGTERM');
    expect(await next.exited()).toEqual({ code: 0, signal: null });

    const paths = endpoint.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === '/slow')).toHaveLength(8);
    expect(await platform.tier('300ms')).toEqual([]);
    const attempts = await old.logged('delivery.attempted', 8);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => 'delivered'));
  });
});
