import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import {
  SingleSubscriberService,
  type EndpointResponse,
} from '../../simulation/single-subscriber/single-subscriber-service.ts';
import { accepts, asksFor, behind, limiters, type LimiterKind } from '../../simulation/single-subscriber/limiters.ts';
import {
  aWebhook,
  entryNow,
  failure,
  release,
  startGates,
  success,
  type GatesUnderTest,
} from '../support/gates-under-test.ts';

const askedForTwoSeconds: Outcome = { kind: 'http_error', status: 503, retryAfterMs: 2000 };

describe('deliveries to an endpoint that asks for time', () => {
  it('wait until then, when one goes first and the others follow', async () => {
    using test = startGates();
    const [first, ...others] = [1, 2, 3].map(() => test.acquire('a', { pool: 'retry' }));
    release(first, askedForTwoSeconds);
    for (const other of others) release(other, success);
    const [probe, second, third] = [1, 2, 3].map(() => test.acquire('a'));
    await test.clock.advance(1999);
    expect(await entryNow(probe)).toBeUndefined();
    await test.clock.advance(1);
    expect([await entryNow(probe), await entryNow(second)]).toMatchObject([{ kind: 'permit' }, undefined]);
    release(await probe, success);
    release(await second, success);
    expect(await entryNow(third)).toMatchObject({ kind: 'permit' });
    expect(test.changes).toEqual(['closed > open', 'open > half_open', 'half_open > closed']);
  });

  it('share the capacity of suspect endpoints until it accepts one', async () => {
    using test = startGates();
    test.send('a', [success, askedForTwoSeconds]);
    const waiting = test.acquire('a');
    expect(test.health('a')).toBe('failing');
    await test.clock.advance(2000);
    release(await waiting, success);
    expect(test.health('a')).toBe('healthy');
  });

  it('get a free time behind the pause if they cannot wait for so long', async () => {
    using test = startGates({ maxWaitMs: 15_000 });
    test.send('a', [{ kind: 'http_error', status: 429, retryAfterMs: 60_000 }]);
    const entry = test.acquire('a');
    await test.clock.advance(15_000);
    expect(await entryNow(entry)).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    expect(freeInMs(await entryNow(entry))).toBeCloseTo(45_000, -2);
  });

  it('count a deferral if it has asked again instead of accepting one', async () => {
    using test = startGates({ maxWaitMs: 1000 });
    test.send('a', [askedForTwoSeconds]);
    await test.clock.advance(2000);
    test.send('a', [askedForTwoSeconds]);
    const entry = test.acquire('a');
    await test.clock.advance(1000);
    expect(await entryNow(entry)).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });

  it('are refused if it fails then', async () => {
    using test = startGates();
    test.send('a', [askedForTwoSeconds]);
    const [probe, waiting] = [1, 2].map(() => test.acquire('a'));
    await test.clock.advance(2000);
    release(await probe, failure);
    expect(await entryNow(waiting)).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });

  it('are sent at once to a new version of its webhook', () => {
    using test = startGates();
    test.send('a', [askedForTwoSeconds]);
    expect(test.acquireFor(aWebhook('a'))).toMatchObject({ kind: 'permit' });
  });

  it('are sent after that as far apart as it has accepted some until the end of the pause, and count as paced', async () => {
    using test = startGates();
    const [, , , refused] = accepted(test, 3);
    release(refused, askedForTwoSeconds);
    await test.clock.advance(2000);
    test.send('a', [success]);
    const [second, third] = [1, 2].map(() => test.acquire('a'));
    expect(test.health('a')).toBe('paced');
    await test.clock.advance(666);
    expect(await entryNow(second)).toBeUndefined();
    await test.clock.advance(1);
    release(await second, success);
    expect(await entryNow(third)).toBeUndefined();
    expect(test.acquire('b')).toMatchObject({ kind: 'permit' });
    const ofNewVersion = test.acquireFor(aWebhook('a'));
    await test.clock.advance(0);
    expect(await Promise.all([third, ofNewVersion].map(entryNow))).toMatchObject([
      { kind: 'permit' },
      { kind: 'permit' },
    ]);
  });

  it.each([[0], [1]])('count as paced only for its own limit if it has accepted %d before', async (count) => {
    using test = startGates();
    const entries = accepted(test, count);
    release(entries.at(-1), askedForTwoSeconds);
    await test.clock.advance(2000);
    test.send('a', [success]);
    void test.acquire('a');
    expect(test.health('a')).toBe(count === 0 ? 'healthy' : 'paced');
  });
});

describe('the service', () => {
  it('sends the next request a second after a probe that was asked for a second', async () => {
    const requests: number[] = [];
    using service = new SingleSubscriberService((ms) => {
      requests.push(ms);
      if (ms < 1000) return { afterMs: 20, outcome: { kind: 'http_error', status: 500, retryAfterMs: undefined } };
      return requests.at(-2) === 0 ? asksFor(1) : accepts(20);
    });
    void service.issue(30);
    await service.clock.advance(600_000);
    const [probe = 0, next = 0] = requests.filter((ms) => ms >= 1000);
    expect(next - probe).toBe(1020);
  });

  it.each<[LimiterKind]>([['a fixed window'], ['a sliding window'], ['a token bucket']])(
    'delivers 60 certificates behind a limit of 5 a second with %s within 20 seconds',
    async (kind) => {
      using service = new SingleSubscriberService(behind(limiters[kind]({ perSecond: 5, windowMs: 1000 })));
      void service.issue(60);
      await service.clock.advance(20_000);
      expect(service.delivered.size).toBe(60);
    },
  );

  it('delivers them within 75 seconds if none of them may come sooner than 200 ms after another', async () => {
    using service = new SingleSubscriberService(behind(limiters['a token bucket']({ perSecond: 5, windowMs: 200 })));
    void service.issue(60);
    await service.clock.advance(75_000);
    expect(service.delivered.size).toBe(60);
  });

  it('delivers 24 certificates to an endpoint that asks for a second instead of each fourth one within two minutes', async () => {
    let requests = 0;
    using service = new SingleSubscriberService((): EndpointResponse => {
      requests += 1;
      return requests % 4 === 0 ? asksFor(1) : accepts(20);
    });
    void service.issue(24);
    await service.clock.advance(120_000);
    expect(service.delivered.size).toBe(24);
  });

  it('asks an endpoint that never accepts only as often as one that fails', async () => {
    using service = new SingleSubscriberService(() => asksFor(1));
    void service.issue(100);
    await service.clock.advance(3_600_000);
    expect(service.requests).toBeLessThan(50);
  });
});

/** Sends one more request than that at the same time. All but the last are accepted. */
function accepted(test: GatesUnderTest, count: number) {
  const entries = Array.from({ length: count + 1 }, () => test.acquire('a'));
  for (const entry of entries.slice(0, count)) release(entry, success);
  return entries;
}

function freeInMs(entry: Awaited<ReturnType<typeof entryNow>>): number {
  return entry?.kind === 'refused' && entry.outcome.kind === 'overloaded' ? entry.outcome.freeInMs : Number.NaN;
}
