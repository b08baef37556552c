import { describe, expect, it } from 'vitest';
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

/** Counts the different certificates that arrived. */
function distinct(subscriber: Subscriber): number {
  return new Set(subscriber.requests.map(({ body }) => body.toString())).size;
}
