import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/lib/deadlines.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { SharedPool } from '../../src/flow/capacity.ts';
import { Gate } from '../../src/flow/gate.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { anOwner } from '../support/service/record-context.ts';
import { aPolicy, aWebhook, capacityOf, failure, success } from './support/gates-under-test.ts';
import { TestRun } from './support/test-run.ts';

const draining = { kind: 'draining' } as const;

/** Builds a gate and a pool, and what they count. */
function create(last?: Outcome) {
  const policy = aPolicy({ capacity: capacityOf(8), maxInFlight: 2, failures: 1000 });
  const gate = new Gate(aWebhook('a'), policy);
  const shared = new SharedPool('first', policy.capacity.first);
  const calls: string[] = [];
  const lateWatch = new Deadlines(1000, new ManualClock());
  if (last !== undefined) gate.finish(last, gate.start('first', 0), 0);
  const ask = (): TestRun => {
    const run = new TestRun({ owner: anOwner(calls) });
    run.ask(gate, shared);
    return run;
  };
  const request = (): TestRun => {
    const run = ask();
    run.send(gate.start('first', 0));
    return run;
  };
  const wait = (): TestRun => {
    const longestWait = { [Symbol.dispose]: () => void calls.push('timer ends') };
    const run = ask();
    run.wait({ longestWait, lateWatch, lateAfterMs: 1000 }, 0);
    lateWatch.remove(run);
    return run;
  };
  const counts = () => ({
    inFlight: [gate.inFlight, shared.status.inFlight],
    suspect: [gate.suspectInFlight('first'), 2 - shared.capacityFor(suspectGate()).free],
    waiting: [gate.waiting, shared.status.waiting],
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

const nothing = { inFlight: [0, 0], suspect: [0, 0], waiting: [0, 0], health: 'healthy' };

describe('a delivery that waits', () => {
  it('counts as suspect once it is late, and not at all once its wait is over', () => {
    const { request, wait, counts, calls } = create();
    const requests = [request(), request()];
    const waiting = wait();
    expect([counts(), waiting.state]).toMatchObject([{ waiting: [1, 1], health: 'healthy' }, 'waiting']);
    waiting.expire(0);
    expect([counts(), waiting.state]).toMatchObject([{ waiting: [1, 1], health: 'late' }, 'waiting_suspect']);
    expect([waiting.isListed, waiting.isActive]).toEqual([false, false]);
    waiting.refuseAs(draining);
    for (const one of requests) one.answered();
    expect([counts(), calls, waiting.isGone]).toEqual([nothing, ['leaves the window', 'timer ends'], true]);
  });

  it('counts as suspect from the start when its endpoint fails, and once only', () => {
    const { request, wait, counts, calls } = create(failure);
    const requests = [request(), request()];
    expect(requests.map(({ state }) => state)).toEqual(['sent_suspect', 'sent_suspect']);
    calls.length = 0;
    const waiting = wait();
    waiting.expire(0);
    expect([waiting.state, calls]).toEqual(['waiting_suspect', ['leaves the window']]);
    waiting.refuseAs(draining);
    for (const one of requests) one.answered();
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
    waiting.refuseAs(draining);
    one.answered();
    other.answered();
    expect(counts()).toEqual(nothing);
  });

  it('counts as suspect when its endpoint fails while it waits for shared capacity, and is not late', () => {
    const { gate, request, wait, counts } = create();
    const one = request();
    const waiting = wait();
    gate.finish(failure, gate.start('first', 0), 0);
    waiting.expire(0);
    expect([waiting.isListed, waiting.state]).toEqual([false, 'waiting_suspect']);
    waiting.refuseAs(draining);
    one.answered();
    gate.finish(success, gate.start('first', 0), 0);
    expect(counts()).toEqual(nothing);
    request().expire(1000);
    expect(counts().health).toBe('late');
  });
});

describe('a delivery that is sent', () => {
  it('leaves the window and counts as suspect once it is late, until it is answered', () => {
    const { request, counts, calls } = create();
    const one = request();
    expect(counts()).toEqual({ ...nothing, inFlight: [1, 1] });
    one.expire(1000);
    expect([counts(), calls]).toEqual([
      { ...nothing, inFlight: [1, 1], suspect: [1, 1], health: 'late' },
      ['leaves the window'],
    ]);
    one.answered();
    one.write();
    one.end();
    expect([counts(), calls]).toEqual([nothing, ['leaves the window', 'ended']]);
  });
});
