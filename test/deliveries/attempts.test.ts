import { describe, expect, it } from 'vitest';
import { Attempts, type InFlight } from '../../src/deliveries/attempts.ts';
import { Gates } from '../../src/deliveries/gates/gates.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import { createRequestHeads } from '../../src/deliveries/request.ts';
import { gatesPolicy } from '../../src/service/deliveries.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aDelivery } from '../support/builders.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { defaultSettings } from '../support/service/default-settings.ts';
import { aRecordContext } from '../support/service/record-context.ts';

const policy = gatesPolicy(defaultSettings());
const delivery = aDelivery();
const failed: RequestOutcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

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

  abort(): void {
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
  readonly clock: ManualClock;
  readonly requests: readonly Request[];
  /** Resolves once so many requests are out. */
  readonly allSent: Promise<void>;
}

function start(count: number): Parts {
  const clock = new ManualClock();
  const requests: Request[] = [];
  const allSent = Promise.withResolvers<void>();
  const gates = new Gates({
    policy,
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
  const dispose = (): void => gates[Symbol.dispose]();
  return { attempts, gates, clock, requests, allSent: allSent.promise, [Symbol.dispose]: dispose };
}

describe('attempts', () => {
  it('are cut while their requests are out, each pool by itself', async () => {
    const pools = ['first', 'first', 'retry'] as const;
    using parts = start(pools.length);
    const [over, cut, other] = pools.map(async (pool) => parts.attempts.attempt(delivery, pool, aRecordContext()));
    await parts.allSent;
    parts.requests[0]?.end({ kind: 'delivered', status: 200 });
    expect(await over).toMatchObject({ outcome: { kind: 'delivered' } });
    parts.attempts.abort('first');
    expect(await cut).toMatchObject({ outcome: { kind: 'draining' } });
    expect(parts.requests.map(({ cuts }) => cuts)).toEqual([0, 1, 0]);
    parts.requests[2]?.end({ kind: 'delivered', status: 204 });
    expect(await other).toMatchObject({ outcome: { kind: 'delivered' } });
    expect(parts.gates.pools().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  it.each([
    { name: 'that was late', first: undefined, told: ['waiting', 'active'] },
    { name: 'that failed last', first: failed, told: ['waiting', 'active'] },
    { name: 'that is well', first: { kind: 'delivered', status: 200 } as const, told: [] },
  ])('set their record aside while they wait for an endpoint $name', async ({ first, told }) => {
    using parts = start(2);
    const heard: string[] = [];
    const before = parts.attempts.attempt(delivery, 'first', aRecordContext());
    await parts.clock.advance(1000);
    if (first !== undefined) parts.requests[0]?.end(first);
    if (first !== undefined) await before;
    const attempted = parts.attempts.attempt(delivery, 'first', aRecordContext(undefined, heard));
    await parts.allSent;
    expect(heard).toEqual(told.slice(0, 1));
    parts.requests[1]?.end({ kind: 'delivered', status: 200 });
    await attempted;
    expect(heard).toEqual(told);
  });

  it('take their record up again when the endpoint is not asked at all', async () => {
    const { failures } = policy;
    using parts = start(failures);
    const heard: string[] = [];
    for (let count = 0; count < failures; count += 1) {
      const attempted = parts.attempts.attempt(delivery, 'first', aRecordContext());
      await parts.clock.advance(0);
      parts.requests.at(-1)?.end(failed);
      await attempted;
    }
    const { outcome } = await parts.attempts.attempt(delivery, 'first', aRecordContext(undefined, heard));
    expect(outcome).toEqual({ kind: 'circuit_open' });
    expect(heard).toEqual(['waiting', 'active']);
  });
});
