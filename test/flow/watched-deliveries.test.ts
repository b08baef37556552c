import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/lib/deadlines.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { Gate } from '../../src/flow/gate.ts';
import { SharedPool } from '../../src/flow/capacity.ts';
import { RequestInFlight, WaitingDelivery } from '../../src/flow/watched-deliveries.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { aStartedDelivery } from '../support/service/record-context.ts';
import { aPolicy, aWebhook, capacityOf, failure, success } from './support/gates-under-test.ts';

const refused = { kind: 'refused', outcome: { kind: 'draining' } } as const;

/** Builds a gate and a pool, and what they count. */
function create(last?: Outcome) {
  const policy = aPolicy({ capacity: capacityOf(8), maxInFlight: 2, failures: 1000 });
  const gate = new Gate(aWebhook('a'), policy);
  const shared = new SharedPool('first', policy.capacity.first);
  const calls: string[] = [];
  const lateWatch = new Deadlines(1000, new ManualClock());
  if (last !== undefined) gate.finish(last, gate.start('first', 0), 0);
  const owner = { released: () => undefined, withdrawn: () => undefined };
  const request = (): RequestInFlight =>
    new RequestInFlight({ gate, shared, progress: aStartedDelivery(calls), started: gate.start('first', 0) }, owner);
  const wait = (): WaitingDelivery => {
    const timer = { [Symbol.dispose]: () => void calls.push('timer ends') };
    const entered = {
      pool: 'first',
      progress: aStartedDelivery(calls),
      resolve: () => calls.push('resolved'),
    } as const;
    const delivery = new WaitingDelivery({ gate, shared, lateWatch, timer, ...entered }, 0);
    gate.room.enter(delivery);
    return delivery;
  };
  const counts = () => ({
    inFlight: [gate.inFlight, shared.status.inFlight],
    suspect: [gate.suspectInFlight('first'), 2 - shared.capacityFor(suspectGate()).free],
    waiting: [gate.waiting, shared.waiting],
    suspectWaiting: shared.waitingAs.suspect,
    health: gate.health,
  });
  return { gate, calls, lateWatch, request, wait, counts };
}

/** Builds the gate of another endpoint, which is suspect. */
function suspectGate(): Gate {
  const gate = new Gate(aWebhook('other'), aPolicy({ capacity: capacityOf(8) }));
  gate.countLate('late', 1);
  return gate;
}

const nothing = { inFlight: [0, 0], suspect: [0, 0], waiting: [0, 0], suspectWaiting: 0, health: 'healthy' };

describe('a waiting delivery', () => {
  it('counts as suspect once it is late, and not at all once its wait is over', () => {
    const { request, wait, counts, calls } = create();
    const requests = [request(), request()];
    const waiting = wait();
    expect(counts()).toMatchObject({ waiting: [1, 1], suspectWaiting: 0, health: 'healthy' });
    waiting.expire(0);
    expect(waiting.isListed).toBe(false);
    expect(counts()).toMatchObject({ waiting: [1, 1], suspectWaiting: 1, health: 'late' });
    waiting.settle(refused);
    for (const one of requests) one.release(undefined);
    expect([counts(), calls, waiting.isGone]).toEqual([nothing, ['waits', 'timer ends', 'resolved'], true]);
  });

  it('counts as suspect from the start when its endpoint fails, and once only', () => {
    const { request, wait, counts, calls } = create(failure);
    const requests = [request(), request()];
    const waiting = wait();
    expect([counts().suspectWaiting, calls]).toEqual([1, ['waits']]);
    waiting.expire(0);
    expect([counts().suspectWaiting, calls]).toEqual([1, ['waits']]);
    waiting.settle(refused);
    for (const one of requests) one.release(undefined);
    expect(counts()).toEqual({ ...nothing, health: 'failing' });
  });

  it('is watched again while it waits for shared capacity', () => {
    const { lateWatch, request, wait, counts, calls } = create();
    const one = request();
    const waiting = wait();
    waiting.expire(0);
    expect([waiting.isListed, counts().health, calls]).toEqual([true, 'healthy', []]);
    lateWatch.remove(waiting);
    const other = request();
    waiting.expire(0);
    expect([waiting.isListed, counts().health]).toEqual([false, 'late']);
    waiting.settle(refused);
    one.release(undefined);
    other.release(undefined);
    expect(counts()).toEqual(nothing);
  });

  it('counts as suspect when its endpoint fails while it waits for shared capacity, and is not late', () => {
    const { gate, request, wait, counts } = create();
    const one = request();
    const waiting = wait();
    gate.finish(failure, gate.start('first', 0), 0);
    waiting.expire(0);
    expect([waiting.isListed, counts().suspectWaiting]).toEqual([false, 1]);
    waiting.settle(refused);
    one.release(undefined);
    gate.finish(success, gate.start('first', 0), 0);
    expect(counts()).toEqual(nothing);
    request().expire(1000);
    expect(counts().health).toBe('late');
  });
});
