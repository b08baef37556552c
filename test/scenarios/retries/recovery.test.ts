import { describe, expect, it } from 'vitest';
import { later, status } from '../../support/endpoints/answers.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

describe('an endpoint that recovers after five failures', () => {
  const running = startOnce({
    delays: ['200ms', '300ms', '400ms', '500ms', '600ms', '700ms'],
    environment: {
      CIRCUIT_FAILURES: '2',
      CIRCUIT_COOLDOWN: '100ms',
      DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1',
    },
  });

  it('is probed with one request at a time, and gets every certificate once', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 500, 500, 500, 200] });
    await platform.configure(subscriber.configuration());
    await platform.complete(...subscriber.certificates(20));
    await service.logged('delivery.attempted', 20, { ownerId: subscriber.ownerId, outcome: 'delivered' });
    expect(subscriber.requests).toHaveLength(25);
    expect(distinct(subscriber)).toBe(20);
    // Two failures in a row open the circuit, and each failed probe opens it again.
    expect(await service.metric('circuit_transitions_total{circuit="open"}')).toBe(4);
    expect(await service.metric('circuit_transitions_total{circuit="half_open"}')).toBe(4);
    expect(await service.logged('circuit.closed')).toMatchObject([{ configurationId: subscriber.webhookId }]);
    expect(await service.metric('endpoints{circuit="closed"}')).toBe(1);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('an endpoint that gets a burst of certificates', () => {
  // All arrive before the first answer. Until then a request is assumed to take 0.5 s, so due times reach 1 s ahead.
  const running = startOnce({
    delays: ['200ms', '1s'],
    environment: {
      DELIVERY_TIMEOUT: '5s',
      DELIVERY_CONNECT_TIMEOUT: '4s',
      DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '20',
      DELIVERY_MAX_WAITING_PER_ENDPOINT: '4',
    },
  });

  it('gets every certificate once, and none is deferred while it answers within a second', async () => {
    const { deferrals } = await burst({ answersAfterMs: 300, certificates: 70 });
    expect(deferrals).toEqual([]);
  });

  it('gets every certificate once, including those deferred because its full room takes it longer', async () => {
    const { deferrals } = await burst({ answersAfterMs: 1100, certificates: 40 });
    expect(new Set(deferrals)).toEqual(new Set(['overloaded', 'not_due']));
    expect(deferrals.length).toBeLessThan(10 * 40);
  });

  async function burst({ answersAfterMs, certificates }: { answersAfterMs: number; certificates: number }) {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [later(answersAfterMs, status(200))] });
    await platform.configure(subscriber.configuration());
    await platform.complete(...subscriber.certificates(certificates));
    const { ownerId } = subscriber;
    const lines = await service.logged('delivery.attempted', certificates, { ownerId });
    expect(lines.filter(({ attempt, outcome }) => attempt !== 1 || outcome !== 'delivered')).toEqual([]);
    expect(subscriber.requests).toHaveLength(certificates);
    expect(distinct(subscriber)).toBe(certificates);
    expect(await service.unaccounted()).toBe(0);
    const deferred = service.log.filter((line) => line['event'] === 'delivery.deferred' && line['ownerId'] === ownerId);
    return { deferrals: deferred.map(({ outcome }) => outcome) };
  }
});

/** Counts the different certificates that arrived. */
function distinct(subscriber: Subscriber): number {
  return new Set(subscriber.requests.map(({ body }) => body.toString())).size;
}
