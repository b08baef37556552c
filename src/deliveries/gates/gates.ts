import type { Clock } from '../../lib/clock.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import type { CircuitState } from './circuit.ts';
import { pools, type Pool } from '../delivery.ts';
import { Gate, type Capacity, type Entry, type GatePolicy, type Permit } from './gate.ts';
import type { Outcome } from '../outcome.ts';
import { SharedPool } from './shared-pool.ts';

export interface GatesPolicy extends GatePolicy {
  /** Requests at once, and deliveries in all waiting rooms, of the whole process. */
  readonly capacity: Readonly<Record<Pool, { readonly inFlight: number; readonly waiting: number }>>;
}

export interface GateEvents {
  circuitChanged(change: { readonly webhookId: string; readonly from: CircuitState; readonly to: CircuitState }): void;
}

/** How long a gate that nobody uses is kept, for its request head. */
const keepIdleMs = 60_000;
/** So many leave a waiting room at once: each is written to a tier, and the rest of the time is for everybody else. */
const leaveAtOnce = 8;
const leaveEveryMs = 4;

/** All endpoints' gates, and the capacity they share: one pool for first attempts, one for retries. */
export class Gates implements Disposable {
  readonly #policy: GatesPolicy;
  readonly #clock: Clock;
  readonly #events: GateEvents;
  readonly #gates = new Map<string, Gate>();
  readonly #pools: Readonly<Record<Pool, SharedPool>>;
  /** Gates whose room is being emptied, with when the next ones leave. */
  readonly #emptying = new Map<Gate, Disposable>();
  #sweeper: Disposable;

  constructor(options: { readonly policy: GatesPolicy; readonly clock: Clock; readonly events: GateEvents }) {
    this.#policy = options.policy;
    this.#clock = options.clock;
    this.#events = options.events;
    this.#pools = {
      first: new SharedPool(options.policy.capacity.first),
      retry: new SharedPool(options.policy.capacity.retry),
    };
    this.#sweeper = this.#sweepLater();
  }

  /** Resolves at once, or when the delivery's turn has come, or its time in the waiting room is up. */
  acquire(webhook: Webhook, pool: Pool): Entry | Promise<Entry> {
    const now = this.#clock.now();
    const gate = this.#gateOf(webhook, now);
    const shared = this.#pools[pool];
    if (shared.draining) return { kind: 'refused', outcome: { kind: 'draining' } };
    if (gate.circuit.admits(now) === 'no') return { kind: 'refused', outcome: { kind: 'circuit_open' } };
    if (!gate.hasWaiting(pool) && gate.admits(shared.capacityFor(gate, now), now)) return this.#start(gate, pool, now);
    if (!gate.hasRoom(shared.roomFor(gate, pool, now))) return { kind: 'refused', outcome: gate.reject(now) };
    return this.#wait(gate, pool, now);
  }

  /** Whether its endpoint may not answer: it is late, or has failed last. */
  isSuspect(webhook: Webhook): boolean {
    return this.#gates.get(webhook.id)?.isSuspect === true;
  }

  /** Whoever waits in the pool leaves with `draining`, and so does who comes from now on, until `open`. */
  drain(pool: Pool): void {
    const shared = this.#pools[pool];
    shared.draining = true;
    for (const gate of this.#gates.values()) this.#dismiss(gate, pool, { kind: 'draining' });
  }

  open(pool: Pool): void {
    this.#pools[pool].draining = false;
  }

  /** The waiting rooms hold no more than this part of what they can, until told otherwise. */
  shrinkRoomsTo(part: number): void {
    for (const pool of pools) this.#pools[pool].shrinkRoomTo(part);
  }

  /** How many deliveries are in waiting rooms. */
  waiting(pool: Pool): number {
    return this.#pools[pool].waiting;
  }

  /** Of these, how many wait for endpoints that are neither late nor fail. */
  waitingForHealthy(pool: Pool): number {
    return this.#pools[pool].waitingForHealthy(pool, this.#clock.now());
  }

  /** What all waiting rooms hold together at present, and what they have left. */
  room(pool: Pool): Capacity {
    return this.#pools[pool].room;
  }

  /** For metrics. */
  pools(): readonly {
    readonly pool: Pool;
    readonly inFlight: number;
    readonly limit: number;
    readonly waiting: number;
  }[] {
    return pools.map((pool) => {
      const { size, inFlight, waiting } = this.#pools[pool];
      return { pool, inFlight, limit: size, waiting };
    });
  }

  /** For metrics. */
  endpoints(): Readonly<Record<CircuitState, number>> {
    const now = this.#clock.now();
    const counts: Record<CircuitState, number> = { closed: 0, open: 0, half_open: 0 };
    for (const gate of this.#gates.values()) counts[gate.circuit.state(now)] += 1;
    return counts;
  }

  /** Those of the endpoints that were lately delivered to, or fail. */
  all(): Iterable<Gate> {
    return this.#gates.values();
  }

  [Symbol.dispose](): void {
    this.#sweeper[Symbol.dispose]();
    for (const timer of this.#emptying.values()) timer[Symbol.dispose]();
    for (const pool of pools) this.drain(pool);
  }

  #gateOf(webhook: Webhook, now: number): Gate {
    let gate = this.#gates.get(webhook.id);
    if (gate === undefined) {
      gate = new Gate(webhook, this.#policy);
      this.#gates.set(webhook.id, gate);
    }
    gate.updateWebhook(webhook, now);
    return gate;
  }

  #start(gate: Gate, pool: Pool, now: number): Permit {
    const flight = this.#pools[pool].start(gate, now);
    const started = gate.start(now);
    this.#emitChange(gate, now);
    return {
      kind: 'permit',
      gate,
      release: (outcome) => {
        this.#pools[pool].end(flight);
        gate.finish(outcome, started, this.#clock.now());
        this.#pools[pool].recall(pool, flight);
        this.#goOn(gate, otherThan(pool));
      },
    };
  }

  /**
   * A request came back: who waits for this endpoint or for the shared capacity may go. First attempts and retries for the
   * endpoint take turns, or those that keep coming would keep the others waiting.
   */
  #goOn(gate: Gate, next: Pool): void {
    const now = this.#clock.now();
    this.#emitChange(gate, now);
    if (gate.circuit.state(now) === 'open') this.#empty(gate);
    for (const pool of [next, otherThan(next)]) {
      this.#pools[pool].queueForCapacity(gate, pool);
      this.#pump(pool, now);
    }
  }

  /** Step by step, as long as the circuit is open. */
  #empty(gate: Gate): void {
    if (this.#emptying.has(gate)) return;
    for (let count = 0; count < leaveAtOnce; count += 1) {
      const waiter = gate.nextWaiter('first') ?? gate.nextWaiter('retry');
      if (waiter === undefined) return;
      waiter.settle({ kind: 'refused', outcome: { kind: 'circuit_open' } });
    }
    const timer = this.#clock.after(leaveEveryMs, () => {
      this.#emptying.delete(gate);
      this.#goOn(gate, 'first');
    });
    this.#emptying.set(gate, timer);
  }

  /** Gates take turns: one delivery each, so that one endpoint's many do not delay another's one. */
  #pump(pool: Pool, now: number): void {
    const shared = this.#pools[pool];
    while (shared.free > 0) {
      const gate = shared.nextGate();
      if (gate === undefined) return;
      if (!gate.admits(shared.capacityFor(gate, now), now)) {
        shared.holdBack(gate);
        continue;
      }
      gate.nextWaiter(pool)?.settle(this.#start(gate, pool, now));
      shared.queueForCapacity(gate, pool);
    }
  }

  #wait(gate: Gate, pool: Pool, now: number): Promise<Entry> {
    const shared = this.#pools[pool];
    return new Promise((resolve) => {
      const waiter = {
        timedOut: false,
        settle: (entry: Entry): void => {
          timer[Symbol.dispose]();
          shared.waiting -= 1;
          resolve(entry);
        },
      };
      const timer = this.#clock.after(this.#policy.maxWaitMs, () => {
        waiter.timedOut = true;
        shared.waiting -= 1;
        gate.removeTimedOut(pool);
        resolve({ kind: 'refused', outcome: gate.reject(this.#clock.now()) });
      });
      gate.enqueue(pool, waiter, now);
      shared.waiting += 1;
      shared.queueForCapacity(gate, pool);
    });
  }

  #emitChange(gate: Gate, now: number): void {
    const change = gate.circuitChange(now);
    if (change !== undefined) this.#events.circuitChanged({ webhookId: gate.webhook.id, ...change });
  }

  #dismiss(gate: Gate, pool: Pool, outcome: Outcome): void {
    for (let waiter = gate.nextWaiter(pool); waiter !== undefined; waiter = gate.nextWaiter(pool)) {
      waiter.settle({ kind: 'refused', outcome });
    }
  }

  #sweepLater(): Disposable {
    return this.#clock.after(keepIdleMs, () => {
      const now = this.#clock.now();
      const keeping = { healthyMs: keepIdleMs, failingMs: this.#policy.maxAgeMs };
      for (const [id, gate] of this.#gates) if (gate.isIdle(now, keeping)) this.#gates.delete(id);
      this.#sweeper = this.#sweepLater();
    });
  }
}

function otherThan(pool: Pool): Pool {
  return pool === 'first' ? 'retry' : 'first';
}
