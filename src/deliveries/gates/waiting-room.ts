import { Queue } from '../../lib/queue.ts';
import type { Pool } from '../delivery.ts';
import type { DeliveryProgress } from '../delivery-cursor.ts';
import type { Entry } from './entry.ts';

/** A delivery that waits for its endpoint. */
export interface Waiter {
  readonly pool: Pool;
  readonly progress: DeliveryProgress;
  /** Ends the wait. Called once. */
  settle(entry: Entry): void;
  /** True once the wait is over. The queues may still hold it then. */
  isGone: boolean;
  /** True while it waits for a place in the room. */
  isOutside: boolean;
}

/**
 * The deliveries that wait for one endpoint: a queue for each pool, and the places that both share.
 *
 * First attempts may also wait outside, in a third queue. They enter in order as places come free. Flow control lets an
 * owner have one delivery outside in each partition. All of them are refused once the endpoint is suspect.
 *
 * A waiter whose wait ended early stays in its queue until it reaches the front. `leave` removes those at the front,
 * because `peek` must not return them.
 */
export class WaitingRoom {
  #places: number;
  readonly #queues: Readonly<Record<Pool, Queue<Waiter>>> = { first: new Queue(), retry: new Queue() };
  readonly #outside = new Queue<Waiter>();
  #inside = 0;
  #waiting = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** The number of deliveries inside and outside. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Returns whether one more delivery has a place, with at most `places` in use. */
  hasPlace(places = this.#places): boolean {
    return this.#inside < Math.min(this.#places, places);
  }

  /** Sets the number of places. Deliveries inside stay there. */
  resize(places: number): void {
    this.#places = places;
  }

  /** Adds a delivery, outside when there is no place. */
  enter(waiter: Waiter): void {
    this.#waiting += 1;
    if (this.hasPlace()) return this.#admit(waiter);
    waiter.isOutside = true;
    waiter.progress.markOutsideRoom(true);
    this.#outside.push(waiter);
  }

  /** Returns the delivery of this pool that has waited longest. It stays until `leave`. */
  peek(pool: Pool): Waiter | undefined {
    return this.#queues[pool].peek() ?? (pool === 'first' ? this.#outside.peek() : undefined);
  }

  get firstOutside(): Waiter | undefined {
    return this.#outside.peek();
  }

  /** Ends the wait of a delivery, and lets the first one outside take its place. */
  leave(waiter: Waiter): void {
    waiter.isGone = true;
    this.#waiting -= 1;
    if (waiter.isOutside) this.#endOutside(waiter);
    else this.#inside -= 1;
    sweep(this.#queues[waiter.pool]);
    sweep(this.#outside);
    const next = this.hasPlace() ? this.#outside.shift() : undefined;
    if (next === undefined) return;
    sweep(this.#outside);
    this.#endOutside(next);
    this.#admit(next);
  }

  #endOutside(waiter: Waiter): void {
    waiter.isOutside = false;
    waiter.progress.markOutsideRoom(false);
  }

  #admit(waiter: Waiter): void {
    this.#inside += 1;
    this.#queues[waiter.pool].push(waiter);
  }
}

/** Removes the waiters at the front that are gone. */
function sweep(queue: Queue<Waiter>): void {
  while (queue.peek()?.isGone === true) queue.shift();
}
