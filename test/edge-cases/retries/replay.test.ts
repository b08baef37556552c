import { describe, expect, it } from 'vitest';
import { run, printedCount } from '../../cli/program.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('a dead-lettered delivery', () => {
  const running = startOnce({ delays: ['100ms', '200ms'] });

  it('is delivered by a replay after its endpoint recovers, and is counted correctly', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 500, 200] });
    const { ownerId } = subscriber;
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.dead_lettered', 1, { ownerId });
    const ran = await run(platform.environment, 'dead-letters', 'replay', '--owner', ownerId);
    expect([ran.code, printedCount(ran, 'replayed')]).toEqual([0, 1]);
    const [line] = await service.logged('delivery.attempted', 1, { ownerId, outcome: 'delivered' });
    expect(line).toMatchObject({ attempt: 1, deliveryId: expect.stringContaining(subscriber.webhookId) });
    expect(subscriber.requests.map(({ body }) => body)).toEqual(Array(4).fill(subscriber.requests[0]?.body));
    expect(await service.metric('dead_letters_total{reason="exhausted"}')).toBe(1);
    await eventually('all is accounted for', async () => (await service.unaccounted()) === 0);
  });

  it('can be dead-lettered and replayed again', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    const { ownerId } = subscriber;
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.dead_lettered', 1, { ownerId });
    const replay = async (): Promise<number> =>
      printedCount(await run(platform.environment, 'dead-letters', 'replay', '--owner', ownerId), 'replayed');
    expect(await replay()).toBe(1);
    await service.logged('delivery.dead_lettered', 2, { ownerId });
    expect(await replay()).toBe(1);
    await service.logged('delivery.dead_lettered', 3, { ownerId });
    expect(subscriber.requests).toHaveLength(9);
  });

  it('is sent to a new subscriber by a redelivery', async () => {
    const { platform, service } = running;
    const first = aSubscriber(platform);
    await platform.configure(first.configuration());
    const [place] = await platform.complete(first.certificate());
    await service.logged('delivery.attempted', 1, { ownerId: first.ownerId, outcome: 'delivered' });
    const late = aSubscriber(platform, { ownerId: first.ownerId });
    await platform.configure(late.configuration());
    const ran = await run(platform.environment, 'redeliver', '--configuration', late.webhookId, '--since', '1h');
    expect(ran.code).toBe(0);
    const { topics } = platform;
    await service.logged('delivery.attempted', 1, {
      deliveryId: `${topics.completed}/0/${place?.offset}/${late.webhookId}`,
      outcome: 'delivered',
    });
    expect([first.requests.length, late.requests.length]).toEqual([1, 1]);
  });
});
