import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/deliveries/gate.ts';
import { Gates, type GatesPolicy } from '../../src/deliveries/gates.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { ManualClock } from '../support/clock.ts';
import { bytesPer } from '../support/memory.ts';

const success: Outcome = { kind: 'delivered', status: 200 };
const timeout: Outcome = { kind: 'timeout', message: 'no answer in time' };
const refusal: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

describe('a hundred endpoints that hang at once', () => {
  const ids = Array.from({ length: 100 }, (_, number) => `hanging-${number}`);
  const times = Array.from({ length: 16 }, (_, index) => index);

  it.each([
    { name: 'in turn', order: () => times.flatMap(() => ids) },
    { name: 'one behind the other', order: () => ids.flatMap((id) => times.map(() => id)) },
  ])('leave capacity to those that do not, when theirs come $name', ({ order }) => {
    using parts = start();
    for (const id of order()) void parts.enter(id);
    expect(parts.inFlight()).toBeLessThanOrEqual(384 - 48);
    const entries = Array.from({ length: 48 }, (_, number) => parts.enter(`well-${number}`));
    expect(entries).toEqual(entries.map(() => expect.objectContaining({ kind: 'pass' })));
  });
});

describe('endpoints that are late or fail', () => {
  it('have a quarter of the capacity together, however many they are', async () => {
    using parts = start();
    const ids = Array.from({ length: 50 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void parts.enter(id);
    await parts.clock.advance(1000);
    for (let round = 0; round < 16; round += 1) for (const id of ids) void parts.enter(id);
    expect(parts.inFlight()).toBeGreaterThan(75);
    expect(parts.inFlight()).toBeLessThanOrEqual(96);
  });

  it('have it as long as they do so, and are in nobody’s way then', async () => {
    using parts = start({ maxInFlight: 1, failures: 1000 });
    const ids = Array.from({ length: 300 }, (_, number) => `failing-${number}`);
    for (const id of ids) leave(parts.enter(id), timeout);
    const out = ids.map((id) => parts.enter(id));
    expect(parts.inFlight()).toBe(96);
    expect(parts.enter('well')).toMatchObject({ kind: 'pass' });
    for (const entry of out) leave(await soon(entry), success);
    for (const id of ids) void parts.enter(id);
    expect(parts.inFlight()).toBe(301);
  });

  it('have their full share when they are alone', async () => {
    using parts = start();
    void parts.enter('slow');
    await parts.clock.advance(1000);
    for (let number = 0; number < 100; number += 1) void parts.enter('slow');
    expect(parts.inFlight()).toBe(16);
  });

  it.each([
    { ms: 999, inFlight: 38 },
    { ms: 1000, inFlight: 30 },
  ])('are those with a request out for a second: after $ms ms there are $inFlight', async ({ ms, inFlight }) => {
    using parts = start({ maxInFlight: 2, capacity: capacityOf(100) });
    const ids = Array.from({ length: 30 }, (_, number) => `slow-${number}`);
    for (const id of ids) void parts.enter(id);
    await parts.clock.advance(ms);
    for (const id of ids) void parts.enter(id);
    expect(parts.inFlight()).toBe(inFlight);
  });
});

describe('endpoints that hang', () => {
  it.each([
    { last: 'a timeout', came: [timeout], inFlight: 96 },
    { last: 'two timeouts', came: [timeout, timeout], inFlight: 24 },
    { last: 'a refusal and a timeout', came: [refusal, timeout], inFlight: 24 },
    { last: 'a timeout and a refusal', came: [timeout, refusal], inFlight: 96 },
    { last: 'two refusals', came: [refusal, refusal], inFlight: 96 },
    { last: 'two timeouts and a success', came: [timeout, timeout, success], inFlight: 300 },
  ])('are told by what came of them last: after $last, 300 have $inFlight requests out', ({ came, inFlight }) => {
    using parts = start({ maxInFlight: 1 });
    const ids = Array.from({ length: 300 }, (_, number) => `endpoint-${number}`);
    for (const id of ids) parts.let(id, came);
    for (const id of ids) void parts.enter(id);
    expect(parts.inFlight()).toBe(inFlight);
  });

  it('have their full share when they are alone', () => {
    using parts = start();
    parts.let('hanging', [timeout, timeout]);
    for (let number = 0; number < 100; number += 1) void parts.enter('hanging');
    expect(parts.inFlight()).toBe(16);
  });

  it('stand in the way of none that fails with an answer, however many wait', async () => {
    using parts = start({ maxInFlight: 1 });
    for (let number = 0; number < 100; number += 1) {
      parts.let(`hanging-${number}`, [timeout, timeout]);
      void parts.enter(`hanging-${number}`);
    }
    const failing = Array.from({ length: 73 }, (_, number) => `failing-${number}`);
    for (const id of failing) parts.let(id, [refusal]);
    const entries = failing.map((id) => parts.enter(id));
    expect(parts.inFlight()).toBe(96);
    leave(await entries[0], refusal);
    expect(await soon(entries[72])).toMatchObject({ kind: 'pass' });
  });
});

describe('capacity that comes back', () => {
  it('goes to endpoints that wait for it although none of their own requests has returned', async () => {
    using parts = start({ maxInFlight: 4, capacity: capacityOf(8) });
    const others = Array.from({ length: 6 }, (_, number) => parts.enter(`other-${number}`));
    expect(parts.enter('slow')).toMatchObject({ kind: 'pass' });
    const waiting = parts.enter('slow');
    expect(waiting).toBeInstanceOf(Promise);
    for (const entry of others) leave(await entry, success);
    expect(await waiting).toMatchObject({ kind: 'pass' });
  });
});

describe('waiting rooms', () => {
  it('shrink as all of them together fill, so that one more endpoint finds room', () => {
    using parts = start({ maxInFlight: 1, capacity: capacityOf(400, 3750) });
    for (let round = 0; round < 300; round += 1) {
      for (let number = 0; number < 200; number += 1) void parts.enter(`hanging-${number}`);
    }
    expect(parts.waiting()).toBeGreaterThan(3000);
    expect(parts.waiting()).toBeLessThan(3750);
    expect(parts.enter('late')).toMatchObject({ kind: 'pass' });
    expect(parts.enter('late')).toBeInstanceOf(Promise);
  });

  it('of endpoints that are late hold three quarters of what all may, so that those that answer find room', async () => {
    using parts = start({ maxInFlight: 1, capacity: capacityOf(400, 4000) });
    const ids = Array.from({ length: 200 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void parts.enter(id);
    await parts.clock.advance(1000);
    for (let round = 0; round < 300; round += 1) {
      for (const id of ids) void parts.enter(id);
      await parts.clock.advance(20);
    }
    expect(parts.waiting()).toBeGreaterThan(2900);
    expect(parts.waiting()).toBeLessThanOrEqual(3000);
    for (let number = 0; number < 200; number += 1) {
      expect(parts.enter(`well-${number}`)).toMatchObject({ kind: 'pass' });
      expect(parts.enter(`well-${number}`)).toBeInstanceOf(Promise);
    }
  });

  it('of endpoints that are late have their part also where those that answer fill more than theirs', async () => {
    using parts = start({ maxInFlight: 1, capacity: capacityOf(400, 400) });
    void parts.enter('late');
    await parts.clock.advance(1000);
    for (let number = 0; number < 399; number += 1) {
      void parts.enter(`well-${number}`);
      void parts.enter(`well-${number}`);
    }
    expect(parts.waiting()).toBe(399);
    expect(parts.enter('late')).toBeInstanceOf(Promise);
    // Its part is not used up, and all rooms together are full.
    expect(parts.enter('late')).toMatchObject({ kind: 'refused' });
  });

  it('have their full size while there is enough for all', () => {
    using parts = start({ capacity: capacityOf(400, 5000) });
    for (let number = 0; number < 20 * 200; number += 1) void parts.enter(`busy-${number % 20}`);
    expect(parts.inFlight() + parts.waiting()).toBe(4000);
    for (let number = 0; number < 1000; number += 1) void parts.enter('one more');
    expect(parts.waiting()).toBeLessThan(5000);
  });

  it('hold less for as long as they are told to', () => {
    using parts = start({ capacity: capacityOf(400, 1000) });
    parts.gates.shrinkRoomsTo(0.125);
    for (let number = 0; number < 1000; number += 1) void parts.enter('busy');
    expect(parts.waiting()).toBe(63);
    parts.gates.shrinkRoomsTo(1);
    for (let number = 0; number < 1000; number += 1) void parts.enter('busy');
    expect(parts.waiting()).toBe(256);
  });

  it('of endpoints that answer are looked at every 20 ms, for how many wait in them: what comes meanwhile counts', async () => {
    using parts = start({ maxInFlight: 1 });
    const waitingForWell = (): number => parts.gates.waitingForWell('first');
    for (const id of ['late', 'late', 'late']) void parts.enter(id);
    expect(waitingForWell()).toBe(2);
    await parts.clock.advance(1000);
    for (const id of ['well', 'well']) void parts.enter(id);
    expect(parts.waiting()).toBe(3);
    expect(waitingForWell()).toBe(1);
    void parts.enter('well');
    void parts.enter('late');
    await parts.clock.advance(19);
    expect(waitingForWell()).toBe(3);
    await parts.clock.advance(1);
    expect(waitingForWell()).toBe(2);
    expect(parts.gates.waitingForWell('retry')).toBe(0);
  });

  it('of an endpoint that is being probed give no slots: nobody knows its pace', async () => {
    using parts = start({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    leave(await parts.enter('dead'), timeout);
    await parts.clock.advance(1000);
    void parts.enter('dead');
    void parts.enter('dead');
    expect(parts.enter('dead')).toEqual({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });
});

describe('the pace of an endpoint', () => {
  it('is measured from the moment that somebody waits', async () => {
    using parts = start({ maxInFlight: 1, maxWaiting: 1 });
    const first = parts.enter('slow');
    void parts.enter('slow');
    await parts.clock.advance(100);
    leave(await first, success);
    void parts.enter('slow');
    expect(parts.betweenSlots('slow')).toBeLessThan(400);
  });

  it('is not that of its probes', async () => {
    using parts = start({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    leave(await parts.enter('slow'), timeout);
    await parts.clock.advance(1000);
    const probe = parts.enter('slow');
    void parts.enter('slow');
    await parts.clock.advance(14_000);
    leave(await probe, success);
    void parts.enter('slow');
    expect(parts.betweenSlots('slow')).toBe(500);
  });
});

describe('a burst for one endpoint', () => {
  it('makes another one wait for no more than a turn, however many wait', async () => {
    using parts = start({ capacity: capacityOf(16, 40_000), maxWaiting: 20_000 });
    const out = Array.from({ length: 16 }, () => parts.enter('busy'));
    for (let number = 0; number < 20_000; number += 1) void parts.enter('busy');
    const single = parts.enter('quiet');
    const [first, second] = out;
    if (first !== undefined && second !== undefined) {
      leave(await first, success);
      leave(await second, success);
    }
    expect(await single).toMatchObject({ kind: 'pass' });
  });
});

describe('a hundred thousand endpoints', () => {
  it('take less than a kilobyte each, and nothing once they are idle', { timeout: 60_000 }, async () => {
    using parts = start();
    const webhooks = Array.from({ length: 100_000 }, (_, number) => aWebhook(`endpoint-${number}`));
    const bytes = await bytesPer(webhooks.length, () => {
      for (const webhook of webhooks) leave(parts.gates.enter(webhook, 'first'), success);
    });
    expect(bytes).toBeLessThan(1024);
    expect(parts.gates.endpoints().closed).toBe(100_000);
    await parts.clock.advance(180_000);
    expect(parts.gates.endpoints().closed).toBe(0);
  });
});

interface Parts extends Disposable {
  readonly gates: Gates;
  readonly clock: ManualClock;
  enter(id: string): Entry | Promise<Entry>;
  /** Requests to it come to this, one after the other. */
  let(id: string, outcomes: readonly Outcome[]): void;
  inFlight(): number;
  waiting(): number;
  /** Of two that find the room full: how far apart their slots are. */
  betweenSlots(id: string): number;
}

function start(overrides: Partial<GatesPolicy> = {}): Parts {
  const clock = new ManualClock();
  const policy: GatesPolicy = {
    maxInFlight: 16,
    maxWaiting: 256,
    maxWaitMs: 15_000,
    failures: 10,
    cooldownMs: 30_000,
    maxAgeMs: 259_200_000,
    capacity: capacityOf(384, 3750),
    ...overrides,
  };
  const gates = new Gates({ policy, clock, events: { circuitChanged: () => undefined } });
  const webhooks = new Map<string, Webhook>();
  const webhookOf = (id: string): Webhook => {
    const webhook = webhooks.get(id) ?? aWebhook(id);
    webhooks.set(id, webhook);
    return webhook;
  };
  const enter = (id: string): Entry | Promise<Entry> => gates.enter(webhookOf(id), 'first');
  return {
    gates,
    clock,
    enter,
    let: (id, outcomes) => outcomes.forEach((outcome) => leave(enter(id), outcome)),
    inFlight: () => gates.pools()[0]?.inFlight ?? 0,
    waiting: () => gates.pools()[0]?.waiting ?? 0,
    betweenSlots: (id) => {
      const [one, other] = [slotOf(enter(id)), slotOf(enter(id))];
      return other - one;
    },
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

function capacityOf(inFlight: number, waiting = 10_000): GatesPolicy['capacity'] {
  return { first: { inFlight, waiting }, retry: { inFlight: 1, waiting } };
}

function leave(entry: Entry | Promise<Entry> | undefined, outcome: Outcome): void {
  if (entry !== undefined && 'kind' in entry && entry.kind === 'pass') entry.leave(outcome);
}

/** Undefined while it waits. */
async function soon(entry: Entry | Promise<Entry> | undefined): Promise<Entry | undefined> {
  return Promise.race([entry, Promise.resolve().then(() => undefined)]);
}

function slotOf(entry: Entry | Promise<Entry>): number {
  const isOverloaded = 'kind' in entry && entry.kind === 'refused' && entry.outcome.kind === 'overloaded';
  return isOverloaded ? entry.outcome.slotAt : Number.NaN;
}

function aWebhook(id: string): Webhook {
  const endpoint = () => ({
    url: new URL('https://hooks.test/'),
    authentication: { authType: 'none' as const },
    customHeaders: {},
  });
  return { id, ownerId: 'owner', state: 'active', wants: () => true, endpoint };
}
