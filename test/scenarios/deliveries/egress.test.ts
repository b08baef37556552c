import { describe, expect, it } from 'vitest';
import { uniqueName } from '../../support/kafka/topics.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('a service without allowed private networks', { tags: ['I5'] }, () => {
  const running = startOnce({ delays: ['10m'], environment: { DELIVERY_ALLOWED_NETWORKS: '' } });

  it('connects to no address that is not public, in any notation', async () => {
    const { platform, service } = running;
    const { endpoint } = platform;
    const ownerId = uniqueName('owner');
    const hosts = ['localhost', '127.0.0.1', '2130706433', '0x7f.1', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'];
    const others = ['169.254.169.254', '10.1.2.3', '192.168.0.1', '100.64.0.1', '[fd00::1]', '[64:ff9b::7f00:1]'];
    const subscribers = [...hosts, ...others].map((host) =>
      aSubscriber(platform, { ownerId, url: endpoint.url('/private/', host) }),
    );
    await platform.configure(...subscribers.map((subscriber) => subscriber.configuration()));
    const places = await platform.complete({ ...subscribers[0]?.certificate() });

    expect(await service.settled(platform.topics.completed, places)).toEqual(['retried']);
    const lines = service.log.filter(({ event }) => event === 'delivery.attempted');
    expect(lines.map(({ outcome, settlement, tier }) => ({ outcome, settlement, tier }))).toEqual(
      subscribers.map(() => ({ outcome: 'blocked', settlement: 'retry', tier: '10m' })),
    );
    expect(lines.map(({ failure }) => failure)).toContain('the address is not public but a loopback address');
    expect(endpoint.connectionsOpened).toBe(0);
    expect(await service.unaccounted()).toBe(0);
  });
});
