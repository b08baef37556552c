import { describe, expect, it } from 'vitest';
import type { Entry, Permit } from '../../../src/deliveries/gates/gate.ts';
import { Gates, type GateEvents, type GatesPolicy } from '../../../src/deliveries/gates/gates.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { aPolicy, aWebhook } from './gates-under-test.ts';

const success: Outcome = { kind: 'delivered', status: 200 };
const failure: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

describe('Gates', () => {
  it('lets no more requests out to one endpoint than its cap, and the next when one comes back', async () => {
    using parts = start({ maxInFlight: 2 });
    const [first] = await passes(parts.gates, ['a', 'a']);
    const third = parts.enter('a');
    expect(await isPending(third)).toBe(true);
    first?.release(success);
    expect(await third).toMatchObject({ kind: 'permit' });
  });

  it('lets who waits go in the order in which they came', async () => {
    using parts = start({ maxInFlight: 1 });
    const [first] = await passes(parts.gates, ['a']);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const entry = await parts.enter('a');
      order.push(number);
      leave(entry, success);
    });
    first?.release(success);
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('keeps a pool for retries that first attempts can not take, and the other way round', async () => {
    using parts = start({ capacity: capacityOf(2, 1) });
    await passes(parts.gates, ['a', 'b']);
    expect(await isPending(parts.enter('c'))).toBe(true);
    expect(await parts.enter('c', 'retry')).toMatchObject({ kind: 'permit' });
    expect(await isPending(parts.enter('d', 'retry'))).toBe(true);
  });

  it('shrinks the cap in step with the capacity left, never below one', async () => {
    using parts = start({ maxInFlight: 4, capacity: capacityOf(8, 1) });
    const entered = { hanging: 0, other: 0 };
    for (const id of ['hanging', 'other'] as const) {
      while (!(await isPending(parts.enter(id)))) entered[id] += 1;
    }
    expect(entered).toEqual({ hanging: 3, other: 2 });
    expect(await parts.enter('last')).toMatchObject({ kind: 'permit' });
  });

  it('lets gates take turns: one delivery does not wait behind another endpoint’s many', async () => {
    using parts = start({ maxInFlight: 1, capacity: capacityOf(1, 1) });
    const [out] = await passes(parts.gates, ['busy']);
    const order: string[] = [];
    const queued = ['busy', 'busy', 'busy', 'quiet'].map(async (id) => {
      const entry = await parts.enter(id);
      order.push(id);
      leave(entry, success);
    });
    out?.release(success);
    await Promise.all(queued);
    expect(order.indexOf('quiet')).toBeLessThanOrEqual(1);
  });

  it('turns away what the waiting room can not hold, to slots one behind the other', async () => {
    using parts = start({ maxInFlight: 1, maxWaiting: 2, maxWaitMs: 1000 });
    await passes(parts.gates, ['a']);
    void parts.enter('a');
    void parts.enter('a');
    const slots = await Promise.all([parts.enter('a'), parts.enter('a')]);
    const times = slots.map((entry) =>
      entry.kind === 'refused' && entry.outcome.kind === 'overloaded' ? entry.outcome.freeAt : 0,
    );
    expect(times).toEqual([parts.clock.now() + 1000, parts.clock.now() + 1500]);
  });

  it('turns away who has waited for too long', async () => {
    using parts = start({ maxInFlight: 1, maxWaitMs: 1000 });
    await passes(parts.gates, ['a']);
    const waiting = parts.enter('a');
    await parts.clock.advance(999);
    expect(await isPending(waiting)).toBe(true);
    await parts.clock.advance(1);
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    expect(parts.gates.pools()[0]).toMatchObject({ pool: 'first', inFlight: 1, waiting: 0 });
  });

  it('refuses at once while the circuit is open, and sends who waits away when it opens', async () => {
    using parts = start({ maxInFlight: 1, failures: 1, cooldownMs: 1000 });
    const [first] = await passes(parts.gates, ['a']);
    const waiting = parts.enter('a');
    first?.release(failure);
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
    expect(await parts.enter('a')).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
    expect(await parts.enter('b')).toMatchObject({ kind: 'permit' });
  });

  it('empties a waiting room in steps, so that others are not kept waiting for it', async () => {
    using parts = start({ maxInFlight: 1, failures: 1 });
    const [first] = await passes(parts.gates, ['a']);
    const waiting = Array.from({ length: 20 }, async () => parts.enter('a'));
    first?.release(failure);
    expect(parts.gates.waiting('first')).toBe(12);
    await parts.clock.advance(4);
    expect(parts.gates.waiting('first')).toBe(4);
    await parts.clock.advance(4);
    const outcomes = (await Promise.all(waiting)).map((entry) => entry.kind === 'refused' && entry.outcome.kind);
    expect(new Set(outcomes)).toEqual(new Set(['circuit_open']));
  });

  it('lets those go who are still there when a change of the configuration closes the circuit', async () => {
    using parts = start({ maxInFlight: 4, failures: 1 });
    const out = await passes(parts.gates, ['a', 'a', 'a', 'a']);
    const waiting = Array.from({ length: 10 }, async () => parts.enter('a'));
    for (const pass of out) pass.release(failure);
    void parts.gates.acquire(aWebhook('a'), 'first');
    await parts.clock.advance(4);
    expect(await waiting.at(-1)).toMatchObject({ kind: 'permit' });
  });

  it('probes with one delivery after the cooldown, and lets those that came meanwhile go after it', async () => {
    using parts = start({ maxInFlight: 4, failures: 1, cooldownMs: 1000 });
    const [first] = await passes(parts.gates, ['a']);
    first?.release(failure);
    await parts.clock.advance(1000);
    const probe = await parts.enter('a');
    const meanwhile = parts.enter('a');
    expect(await isPending(meanwhile)).toBe(true);
    leave(probe, success);
    expect(await meanwhile).toMatchObject({ kind: 'permit' });
    expect(parts.changes).toEqual(['closed > open', 'open > half_open', 'half_open > closed']);
  });

  it('tells once that a circuit has opened, however many requests were out', async () => {
    using parts = start({ maxInFlight: 4, failures: 2 });
    const out = await passes(parts.gates, ['a', 'a', 'a', 'a']);
    for (const pass of out) pass.release(failure);
    expect(parts.changes).toEqual(['closed > open']);
    expect(parts.gates.endpoints()).toEqual({ closed: 0, open: 1, half_open: 0 });
  });

  it('closes the circuit of a configuration that has changed', async () => {
    using parts = start({ maxInFlight: 1, failures: 1 });
    const [first] = await passes(parts.gates, ['a']);
    first?.release(failure);
    expect(await parts.gates.acquire(aWebhook('a'), 'first')).toMatchObject({ kind: 'permit' });
  });

  it('hears nothing of the new configuration from what comes of requests for the old one', async () => {
    using parts = start({ maxInFlight: 4, failures: 2 });
    const old = await passes(parts.gates, ['a', 'a', 'a']);
    const [fresh] = [await parts.gates.acquire(aWebhook('a'), 'first')];
    for (const pass of old) pass.release(failure);
    expect(parts.gates.endpoints()).toEqual({ closed: 1, open: 0, half_open: 0 });
    leave(fresh, failure);
    expect([...parts.gates.all()].map(({ circuit }) => circuit.failures)).toEqual([1]);
  });

  it('lets first attempts and retries for one endpoint take turns', async () => {
    using parts = start({ maxInFlight: 1 });
    const [out] = await passes(parts.gates, ['a']);
    const order: string[] = [];
    const queued = (['first', 'first', 'first', 'retry', 'retry', 'retry'] as const).map(async (pool) => {
      const entry = await parts.enter('a', pool);
      order.push(pool);
      leave(entry, success);
    });
    out?.release(success);
    await Promise.all(queued);
    expect(order).toEqual(['retry', 'first', 'retry', 'first', 'retry', 'first']);
  });

  it('hands back what waits when a pool is drained, and lets nobody in until it is opened again', async () => {
    using parts = start({ maxInFlight: 1 });
    await passes(parts.gates, ['a']);
    const waiting = parts.enter('a');
    parts.gates.drain('first');
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'draining' } });
    expect(await parts.enter('b')).toMatchObject({ kind: 'refused', outcome: { kind: 'draining' } });
    expect(await parts.enter('b', 'retry')).toMatchObject({ kind: 'permit' });
    parts.gates.open('first');
    expect(await parts.enter('c')).toMatchObject({ kind: 'permit' });
  });

  it('forgets endpoints that are idle, and keeps those that fail', async () => {
    using parts = start({ maxInFlight: 4 });
    const [good, bad] = await passes(parts.gates, ['good', 'bad']);
    good?.release(success);
    bad?.release(failure);
    await parts.clock.advance(180_000);
    expect(parts.gates.endpoints()).toEqual({ closed: 1, open: 0, half_open: 0 });
    expect([...parts.gates.all()].map(({ webhook }) => webhook.id)).toEqual(['bad']);
  });

  it('forgets also those that fail, once nobody has used them for long', async () => {
    using parts = start({ failures: 1, maxAgeMs: 3_600_000 });
    const [bad] = await passes(parts.gates, ['bad']);
    bad?.release(failure);
    await parts.clock.advance(3_540_000);
    expect(parts.gates.endpoints()).toEqual({ closed: 0, open: 0, half_open: 1 });
    await parts.clock.advance(60_000);
    expect([...parts.gates.all()]).toEqual([]);
  });

  it('remembers a circuit for as long as it is open', async () => {
    using parts = start({ failures: 1, cooldownMs: 7_200_000, maxAgeMs: 3_600_000 });
    const [bad] = await passes(parts.gates, ['bad']);
    bad?.release(failure);
    await parts.clock.advance(7_140_000);
    expect(parts.gates.endpoints()).toEqual({ closed: 0, open: 1, half_open: 0 });
    await parts.clock.advance(60_000);
    expect([...parts.gates.all()]).toEqual([]);
  });
});

function capacityOf(first: number, retry: number, waiting = 10_000): GatesPolicy['capacity'] {
  return { first: { inFlight: first, waiting }, retry: { inFlight: retry, waiting } };
}

interface Parts extends Disposable {
  readonly gates: Gates;
  readonly clock: ManualClock;
  readonly changes: readonly string[];
  enter(id: string, pool?: 'first' | 'retry'): Promise<Entry>;
}

function start(overrides: Partial<GatesPolicy>): Parts {
  const clock = new ManualClock();
  const changes: string[] = [];
  const events: GateEvents = { circuitChanged: ({ from, to }) => void changes.push(`${from} > ${to}`) };
  const policy = aPolicy({ capacity: capacityOf(384, 128), ...overrides });
  const gates = new Gates({ policy, clock, events });
  return {
    gates,
    clock,
    changes,
    enter: async (id, pool = 'first') => gates.acquire(webhookOf(id), pool),
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

const webhooks = new Map<string, Webhook>();

function webhookOf(id: string): Webhook {
  const webhook = webhooks.get(id) ?? aWebhook(id);
  webhooks.set(id, webhook);
  return webhook;
}

async function passes(gates: Gates, ids: readonly string[]): Promise<readonly Permit[]> {
  const entries = await Promise.all(ids.map(async (id) => gates.acquire(webhookOf(id), 'first')));
  return entries.filter((entry) => entry.kind === 'permit');
}

function leave(entry: Entry, outcome: Outcome): void {
  if (entry.kind === 'permit') entry.release(outcome);
}

/** Whether it is still open after all that can happen without time or I/O has happened. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const turn = new Promise((resolve) => {
    setImmediate(() => resolve(pending));
  });
  return (await Promise.race([promise, turn])) === pending;
}
