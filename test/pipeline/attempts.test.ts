import { describe, expect, it } from 'vitest';
import { Attempts, RunningDelivery } from '../../src/pipeline/running-delivery.ts';
import type { RecordContext } from '../../src/pipeline/ports.ts';
import type { AttemptResult } from '../../src/deliveries/attempt-result.ts';
import type { Pool } from '../../src/deliveries/delivery.ts';
import type { OwnerPart } from '../../src/flow/delivery-run.ts';
import { Gates } from '../../src/flow/gates.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import { createRequestHeads, type InFlight, type RequestListener, type Sender } from '../../src/deliveries/request.ts';
import { gatesPolicy } from '../../src/flow/limits.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aDelivery } from '../support/builders.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { defaultSettings } from '../support/service/default-settings.ts';
import { aWebhook } from '../flow/support/gates-under-test.ts';
import { anOwner, aRecordContext } from '../support/service/record-context.ts';

const policy = gatesPolicy(defaultSettings());
const delivery = aDelivery();
const failed: RequestOutcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

const delivered: RequestOutcome = { kind: 'delivered', status: 200 };
const webhook: Webhook = { ...aWebhook(delivery.webhookId), ownerId: delivery.ownerId };

/** A request whose outcome the test decides. */
class ManualRequest implements InFlight {
  aborts = 0;
  readonly #listener: RequestListener;

  constructor(listener: RequestListener) {
    this.#listener = listener;
  }

  abort(): void {
    this.aborts += 1;
    this.end({ kind: 'draining' });
  }

  end(outcome: RequestOutcome): void {
    this.#listener.onOutcome(outcome);
  }

  exceed(): void {
    this.#listener.onExceeded();
  }

  /** Asks whether it may be written, as a client does. */
  hold(): number {
    return this.#listener.holdMs?.() ?? 0;
  }
}

interface AttemptsTest extends Disposable {
  attempt(pool: Pool, owner?: OwnerPart, stillOwned?: RecordContext['stillOwned']): Promise<AttemptResult>;
  abort(pool: Pool): void;
  readonly gates: Gates;
  readonly clock: ManualClock;
  readonly requests: readonly ManualRequest[];
  /** Resolves once `count` requests were sent. */
  readonly allSent: Promise<void>;
}

function start(count: number, send?: Sender['send'], byId: () => Webhook = () => webhook): AttemptsTest {
  const clock = new ManualClock();
  const requests: ManualRequest[] = [];
  const allSent = Promise.withResolvers<void>();
  const directory = { ofOwner: () => [webhook], byId, caughtUp: () => Promise.resolve(), isComplete: () => true };
  const gates = new Gates({ policy, directory, clock, listeners: [] });
  const attempts = new Attempts({
    directory,
    gates,
    http: {
      send:
        send ??
        ((_request, listener) => {
          const request = new ManualRequest(listener);
          requests.push(request);
          if (requests.length === count) allSent.resolve();
          return request;
        }),
    },
    heads: createRequestHeads({ userAgent: 'agent', eventTypeHeader: undefined, deliveryIdHeader: undefined }),
    clock,
  });
  const attempt = async (
    pool: Pool,
    owner = anOwner(),
    stillOwned: RecordContext['stillOwned'] = () => true,
  ): Promise<AttemptResult> =>
    new Promise((resolve, reject) => {
      const context = { ...aRecordContext(), stillOwned, end: () => undefined, fail: () => undefined };
      const settle = (_: RunningDelivery, result: AttemptResult): 'delivered' => {
        resolve(result);
        return 'delivered';
      };
      const handler = { pool, begin: () => undefined, settle };
      const parent = { context, handler, ended: () => undefined, failed: reject };
      attempts.attempt(new RunningDelivery(parent, delivery, owner));
    });
  return {
    attempt,
    abort: (pool) => attempts.abort(pool),
    gates,
    clock,
    requests,
    allSent: allSent.promise,
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

describe('attempts', () => {
  it('open the circuit of an endpoint that answers 2xx and then sends too much each time, and stay delivered', async () => {
    using test = start(policy.failures);
    for (let count = 0; count < policy.failures; count += 1) {
      const attempted = test.attempt('first');
      await test.clock.advance(0);
      test.requests[count]?.end(delivered);
      expect(await attempted).toMatchObject({ outcome: { kind: 'delivered' } });
      test.requests[count]?.exceed();
    }
    expect(test.gates.endpoints()).toMatchObject({ open: 1 });
    const [gate] = test.gates.all();
    const message = 'the endpoint sent more than it may after its 2xx';
    expect(gate?.lastOutcome).toEqual({ kind: 'protocol_error', message });
    expect(await test.attempt('first')).toMatchObject({ outcome: { kind: 'circuit_open' } });
  });

  it('hold a request that is ready so soon after another one that both would be written at once', async () => {
    const limited = { ...webhook, limits: { perMinute: 60 } };
    using test = start(2, undefined, () => limited);
    for (const ms of [5000, 1002]) {
      await test.clock.advance(ms);
      void test.attempt('first');
      await test.clock.advance(0);
    }
    expect(test.requests.map((request) => Math.round(request.hold()))).toEqual([0, 902]);
  });

  it('fail and give their capacity back when sending throws', async () => {
    using test = start(0, () => {
      throw new TypeError('a fault of ours');
    });
    await expect(test.attempt('first')).rejects.toThrow('a fault of ours');
    expect(test.gates.pools().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  it('are aborted while their requests are in flight, each pool separately', async () => {
    const pools = ['first', 'first', 'retry'] as const;
    using test = start(pools.length);
    const [ended, aborted, other] = pools.map(async (pool) => test.attempt(pool));
    await test.allSent;
    test.requests[0]?.end(delivered);
    expect(await ended).toMatchObject({ outcome: { kind: 'delivered' } });
    test.abort('first');
    expect(await aborted).toMatchObject({ outcome: { kind: 'draining' } });
    expect(test.requests.map(({ aborts }) => aborts)).toEqual([0, 1, 0]);
    test.requests[2]?.end({ kind: 'delivered', status: 204 });
    expect(await other).toMatchObject({ outcome: { kind: 'delivered' } });
    expect(test.gates.pools().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  describe('that waited for their endpoint while the session of this process may have ended', () => {
    /** Starts as many attempts as the endpoint takes at once, and one more, and ends all but that one. */
    async function waitFor(stillOwned: RecordContext['stillOwned']) {
      const test = start(policy.maxInFlight);
      const before = Array.from({ length: policy.maxInFlight }, async () => test.attempt('first'));
      const waited = test.attempt('first', anOwner(), stillOwned);
      await test.allSent;
      for (const request of test.requests) request.end(delivered);
      await Promise.all(before);
      return { test, waited, sent: () => test.requests.length - policy.maxInFlight };
    }

    it('are not sent, because another process has the partition', async () => {
      const confirmation = Promise.withResolvers<boolean>();
      const { test, waited, sent } = await waitFor(() => confirmation.promise);
      using _ = test;
      expect({ sent: sent(), inFlight: test.gates.pools()[0]?.inFlight }).toEqual({ sent: 0, inFlight: 0 });
      confirmation.resolve(false);
      expect(await waited).toMatchObject({ outcome: { kind: 'draining' } });
      expect(sent()).toBe(0);
    });

    it('are sent once the group has confirmed that the partition is still ours', async () => {
      const confirmation = Promise.withResolvers<boolean>();
      const answers = [confirmation.promise, true];
      const { test, waited, sent } = await waitFor(() => answers.shift() ?? false);
      using _ = test;
      expect(sent()).toBe(0);
      confirmation.resolve(true);
      await test.clock.advance(0);
      test.requests.at(-1)?.end(delivered);
      expect(await waited).toMatchObject({ outcome: { kind: 'delivered' } });
      expect(sent()).toBe(1);
    });
  });

  it.each([
    { name: 'that is late', first: undefined, expected: ['leaves the window'] },
    { name: 'that failed last', first: failed, expected: ['leaves the window'] },
    { name: 'that is healthy', first: delivered, expected: [] },
  ])('report $expected before they are sent to an endpoint $name, and nothing after', async ({ first, expected }) => {
    using test = start(2);
    const calls: string[] = [];
    const before = test.attempt('first');
    await test.clock.advance(1000);
    if (first !== undefined) test.requests[0]?.end(first);
    if (first !== undefined) await before;
    const attempted = test.attempt('first', anOwner(calls));
    await test.allSent;
    expect(calls).toEqual(expected);
    test.requests[1]?.end(delivered);
    await attempted;
    expect(calls).toEqual([...expected, 'ended']);
  });

  it('report that they wait once their request has been out for a second', async () => {
    using test = start(1);
    const calls: string[] = [];
    const attempted = test.attempt('first', anOwner(calls));
    await test.clock.advance(999);
    expect(calls).toEqual([]);
    await test.clock.advance(1);
    expect(calls).toEqual(['leaves the window']);
    test.requests[0]?.end(delivered);
    expect(await attempted).toMatchObject({ outcome: { kind: 'delivered' } });
    expect(calls).toEqual(['leaves the window', 'ended']);
  });

  it.each([0, 1])('fail and give their capacity back when look-up %d throws', async (failing) => {
    let lookUps = 0;
    using test = start(0, undefined, () => {
      if (lookUps === failing) throw new TypeError('a fault of ours');
      lookUps += 1;
      return webhook;
    });
    await expect(test.attempt('first')).rejects.toThrow('a fault of ours');
    expect(test.gates.pools().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });
});
