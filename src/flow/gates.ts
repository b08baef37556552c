import type { GatesPolicy } from './limits.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { Deadlines } from '../lib/deadlines.ts';
import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { CircuitState } from './circuit.ts';
import { pools, type Pool } from '../deliveries/delivery.ts';
import type { DeliveryRun } from './delivery-run.ts';
import type { EndpointCounts } from './endpoint-health.ts';
import { Gate } from './gate.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import { StartTimers } from './start-timers.ts';
import { otherThan, SharedPool, type PoolStatus } from './capacity.ts';
import type { Waiter } from './line.ts';

/** A change of an endpoint's circuit. */
export interface EndpointChange {
  readonly webhookId: string;
  readonly ownerId: string | undefined;
  readonly from: CircuitState;
  readonly to: CircuitState;
  /** The number of failures since the last success. */
  readonly failures: number;
  /** The monotonic time of the first of these failures. */
  readonly failingSince: number | undefined;
}

export interface GateEvents {
  circuitChanged(change: EndpointChange): void;
}

interface GatesOptions {
  readonly policy: GatesPolicy;
  readonly directory: Pick<Directory, 'byId'>;
  readonly clock: MonotonicClock;
  /** Get each change of a circuit. More may be added later. */
  readonly listeners: readonly GateEvents[];
}

/** The time for which an unused gate is kept, so that its request head need not be created again. */
const keepIdleMs = 60_000;

/**
 * Decides when a delivery may be sent to its endpoint.
 *
 * Owns one gate for each endpoint that was used lately or fails, and the two pools of capacity that the endpoints
 * share. Owns the timers of all waits, too.
 *
 * `acquire` ends in one of these ways:
 *
 * | when                                                         | result                     |
 * | ------------------------------------------------------------ | -------------------------- |
 * | the pool is drained                                          | refused, `draining`        |
 * | the endpoint's circuit is open, but not for a pause (4)      | refused, `circuit_open`    |
 * | no delivery of the pool waits there, and the gate admits one | a permit, at once          |
 * | the waiting room has no place (2), and nobody yields (3)     | refused, `overloaded` (1)  |
 * | otherwise the delivery waits, until                          |                            |
 * | - it is its turn                                             | a permit                   |
 * | - `maxWaitMs` have passed                                    | refused, `overloaded` (1)  |
 * | - the room overflows, and it is still outside (2)            | refused, `overloaded` (1)  |
 * | - it yields its place (3)                                    | refused, `overloaded` (1)  |
 * | - the circuit opens, but not for a pause (4)                 | refused, `circuit_open`    |
 * | - the pool is drained                                        | refused, `draining`        |
 *
 * (1) With an estimated free time; `circuit_open` while the endpoint is being probed.
 * (2) First attempts at a healthy endpoint wait outside until there is a place. Flow control lets its owner have one of
 * them in each partition. An endpoint that takes longer than `lateAfterMs` for its full room is late, or paced: it overflows. By
 * its webhook's own pace that is known at once, otherwise after that time.
 * (3) To one that is back at its free time. Those go first at their endpoint, whatever its health. One of them that yields, or whose
 * time is over, gets the next free time. So does a new one whose time is over, unless its webhook's pace gave others theirs before;
 * another new one gets the last.
 * (4) That its endpoint has asked for. Deliveries wait for its end. Who cannot is `overloaded`, or `circuit_open` after several pauses.
 *
 * `RunningDelivery` calls `acquire`, and `release` for each permit. The intakes call `drain` and `open`.
 *
 * Promises:
 * - Each waiting delivery is permitted or refused exactly once, within `maxWaitMs`.
 * - Deliveries to one endpoint in one pool start in the order in which they came, behind those that are back at their free time.
 * - Endpoints take turns in a pool, one delivery each. The two pools take turns at an endpoint.
 *
 * Removing one of these causes:
 * - the check for deliveries that wait, in `acquire`: a new delivery overtakes them.
 * - `#admitWaiting` in `release`: deliveries wait until their time is over, although capacity is free.
 * - the other pool's turn in `release`: an endpoint that gets more certificates than it takes gets no retries.
 * - the sweep: each endpoint that was ever used keeps its memory.
 */
export class Gates implements Disposable {
  readonly #policy: GatesPolicy;
  readonly #directory: GatesOptions['directory'];
  readonly #clock: MonotonicClock;
  readonly #listeners: readonly GateEvents[];
  readonly #gates = new Map<string, Gate>();
  readonly #pools: Readonly<Record<Pool, SharedPool>>;
  readonly #lateWatch: Deadlines;
  /** Gates whose line is refused, each with the timer of the next batch. */
  readonly #refusing = new Map<Gate, Disposable>();
  readonly #startTimers: StartTimers;
  /** The monotonic time of the latest assignment of partitions. */
  #assignedAt: number;
  #sweeper: Disposable;

  constructor({ policy, directory, clock, listeners }: GatesOptions) {
    this.#policy = policy;
    this.#directory = directory;
    this.#clock = clock;
    this.#listeners = listeners;
    const { first, retry } = policy.capacity;
    this.#pools = { first: new SharedPool('first', first), retry: new SharedPool('retry', retry) };
    this.#assignedAt = clock.monotonic();
    this.#startTimers = new StartTimers(clock, (gate) => this.#admitWaiting(gate));
    this.#lateWatch = new Deadlines(policy.lateAfterMs, clock);
    this.#sweeper = this.#scheduleSweep();
  }

  /** Returns a permit or the outcome of a refusal at once, or lets the delivery wait, which is told then. */
  acquire(webhook: Webhook, run: DeliveryRun): 'permit' | 'waits' | Outcome {
    const { pool, backSince } = run;
    const now = this.#clock.monotonic();
    const gate = this.#gateOf(webhook, now);
    const shared = this.#pools[pool];
    if (shared.draining) return { kind: 'draining' };
    if (gate.circuit.admits(now) === 'no') return { kind: 'circuit_open' };
    run.ask(gate, shared);
    const isNext = gate.line.isNext(run, this.#pools.retry.free > 0);
    if (isNext && gate.admits(shared.capacityFor(gate), now)) {
      this.#send(run, gate, now);
      return 'permit';
    }
    const place = shared.placeFor(gate, backSince);
    if (place === 'none') {
      run.write();
      return gate.reject({ isBack: backSince !== undefined, waiting: gate.waiting }, now);
    }
    this.#wait(run, gate, now);
    if (place !== 'free') place.refuse(now);
    return 'waits';
  }

  /** Takes a permit back: with the outcome of its request, or with undefined when none was sent. Called once for each. */
  release(run: DeliveryRun, outcome: Outcome | undefined): void {
    const { gate, shared, request } = run;
    this.#lateWatch.remove(run);
    run.answered();
    const now = this.#clock.monotonic();
    if (request !== undefined) gate.finish(outcome, request, now);
    if (gate.overflows) gate.refuseOutside(now);
    shared.capacityFreed(now);
    this.#admitWaiting(gate);
  }

  /** Counts a failure of the endpoint in place of its success. The delivery stays settled. Called after `release`. */
  withdraw({ gate, request }: DeliveryRun): void {
    const now = this.#clock.monotonic();
    if (request !== undefined) gate.withdraw(request, now);
    if (gate.overflows) gate.refuseOutside(now);
    this.#admitWaiting(gate);
  }

  /** Refuses with `draining` all deliveries that wait in the pool, and all that come before `open`. */
  drain(pool: Pool): void {
    this.#pools[pool].draining = true;
    for (const { line } of this.#gates.values()) {
      for (let waiter = line.peek(pool); waiter !== undefined; waiter = line.peek(pool)) {
        waiter.refuseAs({ kind: 'draining' });
      }
    }
  }

  /** Ends the draining, because partitions were assigned. */
  open(pool: Pool): void {
    this.#pools[pool].draining = false;
    this.#assignedAt = this.#clock.monotonic();
    for (const gate of this.#gates.values()) gate.pacer?.assigned(this.#assignedAt);
  }

  pools(): readonly PoolStatus[] {
    return pools.map((pool) => this.#pools[pool].status);
  }

  /** Returns the number of gates by the state of their circuit, and of those whose circuit counts failures. */
  endpoints(): EndpointCounts {
    const now = this.#clock.monotonic();
    const counts = { closed: 0, open: 0, half_open: 0, failing: 0 };
    for (const { circuit } of this.#gates.values()) {
      counts[circuit.state(now)] += 1;
      if (circuit.failures > 0) counts.failing += 1;
    }
    return counts;
  }

  /** Returns the gate of a webhook; undefined if its endpoint was not used lately and does not fail. */
  of(webhookId: string): Gate | undefined {
    return this.#gates.get(webhookId);
  }

  /** Returns the gates of endpoints that were used lately, or fail. */
  all(): Iterable<Gate> {
    return this.#gates.values();
  }

  [Symbol.dispose](): void {
    this.#sweeper[Symbol.dispose]();
    this.#lateWatch[Symbol.dispose]();
    this.#startTimers[Symbol.dispose]();
    for (const timer of this.#refusing.values()) timer[Symbol.dispose]();
    for (const pool of pools) this.drain(pool);
  }

  #gateOf(webhook: Webhook, now: number): Gate {
    let gate = this.#gates.get(webhook.id);
    if (gate === undefined) {
      gate = new Gate(webhook, this.#policy, this.#assignedAt);
      this.#gates.set(webhook.id, gate);
    }
    gate.updateWebhook(webhook, now);
    return gate;
  }

  #send(run: Waiter, gate: Gate, now: number): void {
    run.send(gate.start(run.pool, now));
    this.#lateWatch.add(run);
    this.#emitChange(gate, now);
  }

  /**
   * Starts deliveries that wait for this gate or for shared capacity. The pools take turns, but one that is back at its free
   * time goes first. Refuses those that wait if the circuit is open, unless for a pause.
   */
  #admitWaiting(gate: Gate): void {
    const now = this.#clock.monotonic();
    this.#emitChange(gate, now);
    if (gate.circuit.admits(now) === 'no') this.#refuseAll(gate);
    const next = gate.line.hasReturned ? 'retry' : otherThan(gate.lastPool);
    for (const pool of [next, otherThan(next)]) {
      this.#pools[pool].queueForCapacity(gate);
      this.#dispatch(pool, now);
    }
  }

  /** Refuses the waiting deliveries in batches, for as long as the circuit is open. */
  #refuseAll(gate: Gate): void {
    if (this.#refusing.has(gate)) return;
    for (let count = 0; count < this.#policy.refusalsPerTurn; count += 1) {
      const waiter = gate.line.peek('first') ?? gate.line.peek('retry');
      if (waiter === undefined) return;
      waiter.refuseAs({ kind: 'circuit_open' });
    }
    const timer = this.#clock.after(0, () => {
      this.#refusing.delete(gate);
      this.#admitWaiting(gate);
    });
    this.#refusing.set(gate, timer);
  }

  /** Gives permits while capacity is free, one delivery for each gate in turn. */
  #dispatch(pool: Pool, now: number): void {
    const shared = this.#pools[pool];
    while (shared.free > 0) {
      const gate = shared.nextGate();
      if (gate === undefined) return;
      // Its limits may have changed during the wait.
      gate.updateWebhook(this.#directory.byId(gate.webhook.id) ?? gate.webhook, now);
      if (gate.admits(shared.capacityFor(gate), now)) {
        const waiter = gate.line.peek(pool);
        if (waiter !== undefined) this.#send(waiter, gate, now);
        shared.queueForCapacity(gate);
      } else if (gate.isOpen(now)) shared.waitForCapacity(gate);
      else this.#startTimers.wakeInTime(gate, now);
    }
  }

  #wait(run: DeliveryRun, gate: Gate, now: number): void {
    const { maxWaitMs, lateAfterMs } = this.#policy;
    const longestWait = this.#clock.after(maxWaitMs, () => run.endWait(this.#clock.monotonic()));
    run.wait({ longestWait, lateWatch: this.#lateWatch, lateAfterMs }, now);
    run.shared.queueForCapacity(gate);
    this.#startTimers.wakeInTime(gate, now);
  }

  #emitChange(gate: Gate, now: number): void {
    const change = gate.circuitChange(now);
    if (change === undefined) return;
    const { id: webhookId, ownerId } = gate.webhook;
    const { failures, failingSince } = gate.circuit;
    for (const one of this.#listeners) one.circuitChanged({ webhookId, ownerId, ...change, failures, failingSince });
  }

  #scheduleSweep(): Disposable {
    return this.#clock.after(keepIdleMs, () => {
      const now = this.#clock.monotonic();
      for (const [id, gate] of this.#gates) if (gate.isIdle(now, keepIdleMs)) this.#gates.delete(id);
      this.#sweeper = this.#scheduleSweep();
    });
  }
}
