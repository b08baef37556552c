import { describe, expect, it } from 'vitest';
import { later, status } from '../../support/endpoints/answers.ts';
import { longTimeouts } from '../../support/service/platform.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

describe('an endpoint that is back after five failures', () => {
  const running = startOnce({
    delays: ['200ms', '300ms', '400ms', '500ms', '600ms', '700ms'],
    environment: {
      ...longTimeouts,
      CIRCUIT_FAILURES: '2',
      CIRCUIT_COOLDOWN: '100ms',
      DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1',
    },
  });

  it('was asked by one at a time meanwhile, and gets everything once', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 500, 500, 500, 200] });
    await platform.configure(subscriber.configuration());
    await platform.complete(...subscriber.certificates(20));
    await service.logged('delivery.attempted', 20, { ownerId: subscriber.ownerId, outcome: 'delivered' });
    expect(subscriber.requests).toHaveLength(25);
    expect(distinct(subscriber)).toBe(20);
    // Two failures in a row open the circuit, and each probe that fails opens it anew.
    expect(await service.metric('circuit_transitions_total{circuit="open"}')).toBe(4);
    expect(await service.metric('circuit_transitions_total{circuit="half_open"}')).toBe(4);
    expect(await service.logged('circuit.closed')).toMatchObject([{ configurationId: subscriber.webhookId }]);
    expect(await service.metric('endpoints{circuit="closed"}')).toBe(1);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('an endpoint that gets more at once than it takes', () => {
  // All come before the first answer: until then a request is taken to last half a second, so slots reach a second far.
  const running = startOnce({
    delays: ['200ms', '1s'],
    environment: {
      ...longTimeouts,
      DELIVERY_TIMEOUT: '5s',
      DELIVERY_CONNECT_TIMEOUT: '4s',
      DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '20',
      DELIVERY_MAX_WAITING_PER_ENDPOINT: '4',
    },
  });

  it('gets everything once, the first attempt included that found the waiting room full', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [later(300, status(200))] });
    await platform.configure(subscriber.configuration());
    await platform.complete(...subscriber.certificates(70));
    const lines = await service.logged('delivery.attempted', 70, { ownerId: subscriber.ownerId });
    expect(lines.filter(({ attempt, outcome }) => attempt !== 1 || outcome !== 'delivered')).toEqual([]);
    expect(subscriber.requests).toHaveLength(70);
    expect(distinct(subscriber)).toBe(70);
    const deferrals = service.log.filter(({ event }) => event === 'delivery.deferred');
    expect(new Set(deferrals.map(({ outcome }) => outcome))).toEqual(new Set(['overloaded', 'not_due']));
    expect(deferrals.length).toBeLessThan(10 * 70);
    expect(await service.unaccounted()).toBe(0);
  });
});

/** How many certificates came, however often. */
function distinct(subscriber: Subscriber): number {
  return new Set(subscriber.requests.map(({ body }) => body.toString())).size;
}
