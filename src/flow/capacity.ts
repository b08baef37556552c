import type { PoolCapacity } from './limits.ts';
import { Queue } from '../lib/queue.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { Gate, SharedCapacity } from './gate.ts';
import type { Waiter } from './line.ts';

export interface PoolStatus {
  readonly pool: Pool;
  readonly inFlight: number;
  readonly limit: number;
  readonly waiting: number;
}

/**
 * Shares the capacity for one kind of attempt among all endpoints. Endpoints that hang or fail must leave enough for
 * the others. `Gates` owns one for first attempts and one for retries, and is the only caller.
 *
 * | endpoints | requests in flight                                         | waiting places              |
 * | --------- | ---------------------------------------------------------- | --------------------------- |
 * | healthy   | all; the last quarter only with no request in flight       | those of each endpoint      |
 * | paced     | as healthy                                                 | `suspectWaiting`, together  |
 * | suspect   | a quarter of all, together                                 | `suspectWaiting`, together  |
 *
 * An endpoint's own requests do not count against the quarter, so a slow endpoint that is alone has its full share.
 *
 * Gates with waiting deliveries take turns:
 *
 *     queueForCapacity ──▶ capacity queue ──▶ nextGate ──▶ a permit, then queueForCapacity again
 *             ▲                                  └───────▶ waitForCapacity: its share is used up
 *             └───────── capacityFreed, when a request ends ──────┘
 *
 * - A gate is in the capacity queue at most once, or waits for capacity, or is not open, or has no waiting delivery.
 * - A request that ends queues one healthy gate that waits for capacity, and a suspect one if their part is not used up.
 * - A gate that is not open does not wait for capacity. Its own requests queue it again as they end.
 * - `count` keeps the pool's and the gate's numbers of requests in step.
 *
 * Without `capacityFreed`, a gate whose share was used up gets no turn when other endpoints free capacity.
 */
export class SharedPool {
  readonly pool: Pool;
  readonly capacity: PoolCapacity;
  draining = false;
  #waiting = 0;
  /** Deliveries that wait for suspect endpoints, and for paced ones. */
  readonly #waitingAs = { suspect: 0, paced: 0 };
  #inFlight = 0;
  #suspectInFlight = 0;
  readonly #capacityQueue = new Queue<Gate>();
  readonly #queuedForCapacity = new Set<Gate>();
  /** Gates with waiting deliveries whose share was used up when it was their turn. */
  readonly #waitForCapacity = { healthy: new Set<Gate>(), suspect: new Set<Gate>() };

  constructor(pool: Pool, capacity: PoolCapacity) {
    this.pool = pool;
    this.capacity = capacity;
  }

  get status(): PoolStatus {
    return { pool: this.pool, inFlight: this.#inFlight, limit: this.capacity.inFlight, waiting: this.#waiting };
  }

  get free(): number {
    return this.capacity.inFlight - this.#inFlight;
  }

  /** Returns the capacity that this gate may have a share of. */
  capacityFor(gate: Gate): SharedCapacity {
    const { inFlight, suspectInFlight } = this.capacity;
    if (gate.isSuspect) {
      const ofOthers = this.#suspectInFlight - gate.suspectInFlight(this.pool);
      return { free: Math.min(this.free, suspectInFlight - ofOthers), size: suspectInFlight, ofOthers };
    }
    // An endpoint has at least one request, so the last quarter is for those that have none. Without it, p99 of others was
    // 12.4 ms in place of 10.4 when 200 of 400 endpoints began to hang, and 15.2 in place of 11.1 when 100 got bursts.
    const size = Math.max(1, inFlight - suspectInFlight);
    return { free: this.free, size, ofOthers: this.#inFlight - gate.inFlightIn(this.pool) };
  }

  /** Adds or removes a request in flight. */
  count(gate: Gate, isSuspect: boolean, change: 1 | -1): void {
    this.#inFlight += change;
    if (isSuspect) this.#suspectInFlight += change;
    gate.count(this.pool, isSuspect, change);
  }

  /** Adds or removes a delivery in a line. */
  countWaiting(part: 'suspect' | 'paced' | undefined, change: 1 | -1): void {
    this.#waiting += change;
    if (part !== undefined) this.#waitingAs[part] += change;
  }

  /** Returns whether one more delivery of this pool may wait for the gate's endpoint, perhaps in the place of another. */
  placeFor(gate: Gate, backSince: number | undefined): 'free' | 'none' | Waiter {
    const { overflows, line } = gate;
    const left = overflows ? this.capacity.suspectWaiting - this.#waitingAs[waitingKindOf(gate)] : line.waiting + 1;
    // Flow control starts no more of an owner in a partition while one of its first attempts waits outside.
    if (line.hasPlace(left) || (this.pool === 'first' && !overflows)) return 'free';
    return (left > 0 && backSince !== undefined ? line.yieldsTo(backSince) : undefined) ?? 'none';
  }

  /** Puts a gate with waiting deliveries at the end of the capacity queue, unless it is in the queue. */
  queueForCapacity(gate: Gate): void {
    this.#waitForCapacity.healthy.delete(gate);
    this.#waitForCapacity.suspect.delete(gate);
    if (gate.line.peek(this.pool) === undefined || this.#queuedForCapacity.has(gate)) return;
    this.#queuedForCapacity.add(gate);
    this.#capacityQueue.push(gate);
  }

  nextGate(): Gate | undefined {
    const gate = this.#capacityQueue.shift();
    if (gate !== undefined) this.#queuedForCapacity.delete(gate);
    return gate;
  }

  /** Takes a gate out of the queue whose share is used up, until `capacityFreed` or `queueForCapacity`. */
  waitForCapacity(gate: Gate): void {
    this.#waitForCapacity[gate.isSuspect ? 'suspect' : 'healthy'].add(gate);
  }

  /** Queues gates that wait for capacity, because a request has ended. Queues one of each kind: visiting all is slow. */
  capacityFreed(now: number): void {
    this.#queueOne('healthy', now);
    if (this.#suspectInFlight < this.capacity.suspectInFlight) this.#queueOne('suspect', now);
  }

  /** Passes over gates that cannot use what was freed: those without a waiter, of the other kind now, or not open. */
  #queueOne(kind: 'healthy' | 'suspect', now: number): void {
    for (const gate of this.#waitForCapacity[kind]) {
      this.queueForCapacity(gate);
      const isOfKind = gate.isSuspect === (kind === 'suspect');
      if (isOfKind && gate.line.peek(this.pool) !== undefined && gate.isOpen(now)) return;
    }
  }
}

/** Returns with whom the deliveries to an endpoint that overflows share their places. */
export function waitingKindOf(gate: Gate): 'suspect' | 'paced' {
  return gate.isSuspect ? 'suspect' : 'paced';
}

export function otherThan(pool: Pool): Pool {
  return pool === 'first' ? 'retry' : 'first';
}
