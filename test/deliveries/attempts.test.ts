import { describe, expect, it } from 'vitest';
import { Attempts, type InFlight } from '../../src/deliveries/attempts.ts';
import { Gates } from '../../src/deliveries/gates.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import { createRequestHeads } from '../../src/deliveries/request.ts';
import { gatesPolicy } from '../../src/service/deliveries.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aDelivery } from '../support/builders.ts';
import { ManualClock } from '../support/clock.ts';
import { defaultSettings } from '../support/settings.ts';

const delivery = aDelivery();

const webhook: Webhook = {
  id: delivery.webhookId,
  ownerId: delivery.ownerId,
  state: 'active',
  wants: () => true,
  endpoint: () => ({ url: new URL('https://hooks.test/'), authentication: { authType: 'none' }, customHeaders: {} }),
};

/** A request whose end a test gives. */
class Request implements InFlight {
  cuts = 0;
  readonly #outcome = Promise.withResolvers<RequestOutcome>();

  get outcome(): Promise<RequestOutcome> {
    return this.#outcome.promise;
  }

  cut(): void {
    this.cuts += 1;
    this.end({ kind: 'draining' });
  }

  end(outcome: RequestOutcome): void {
    this.#outcome.resolve(outcome);
  }
}

interface Parts extends Disposable {
  readonly attempts: Attempts;
  readonly gates: Gates;
  readonly requests: readonly Request[];
  /** Resolves once so many requests are out. */
  readonly allSent: Promise<void>;
}

function start(count: number): Parts {
  const clock = new ManualClock();
  const requests: Request[] = [];
  const allSent = Promise.withResolvers<void>();
  const gates = new Gates({
    policy: gatesPolicy(defaultSettings()),
    clock,
    events: { circuitChanged: () => undefined },
  });
  const attempts = new Attempts({
    directory: { ofOwner: () => [webhook], byId: () => webhook, caughtUp: () => Promise.resolve() },
    gates,
    http: {
      send: () => {
        const request = new Request();
        requests.push(request);
        if (requests.length === count) allSent.resolve();
        return request;
      },
    },
    heads: createRequestHeads({ userAgent: undefined, eventTypeHeader: undefined, deliveryIdHeader: undefined }),
    clock,
  });
  return { attempts, gates, requests, allSent: allSent.promise, [Symbol.dispose]: () => gates[Symbol.dispose]() };
}

describe('attempts', () => {
  it('are cut while their requests are out, each pool by itself', async () => {
    const pools = ['first', 'first', 'retry'] as const;
    using parts = start(pools.length);
    const [over, cut, other] = pools.map(async (pool) => parts.attempts.attempt(delivery, pool));
    await parts.allSent;
    parts.requests[0]?.end({ kind: 'delivered', status: 200 });
    expect(await over).toMatchObject({ outcome: { kind: 'delivered' } });
    parts.attempts.cut('first');
    expect(await cut).toMatchObject({ outcome: { kind: 'draining' } });
    expect(parts.requests.map(({ cuts }) => cuts)).toEqual([0, 1, 0]);
    parts.requests[2]?.end({ kind: 'delivered', status: 204 });
    expect(await other).toMatchObject({ outcome: { kind: 'delivered' } });
    expect(parts.gates.pools().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });
});
