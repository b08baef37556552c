import type { Expiring } from '../lib/deadlines.ts';
import { Queue } from '../lib/queue.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { SentRequest } from './circuit.ts';

/** A delivery that asks for a permit. */
interface Asking {
  readonly pool: Pool;
  /** The time at which it was planned, if it is back at the free time that it was given. */
  readonly backSince?: number | undefined;
}

/** A delivery that waits for its endpoint. */
export interface Waiter extends Asking, Expiring {
  /** True unless it waits. The queues may still hold it then. */
  readonly isGone: boolean;
  /** Called when it gets a place in the room. */
  moveInside(): void;
  /** Called when its endpoint overflows. */
  overflow(): void;
  /** Ends the wait with a permit. */
  send(request: SentRequest): void;
  /** Ends the wait with a later free time. */
  refuse(now: number): void;
  refuseAs(outcome: Outcome): void;
}

/**
 * The deliveries that wait for one endpoint: a queue for each pool, one for retries that are back at their free time, and the
 * places that all share. Retries after a failure do not go first: those of a poisonous certificate would open the circuit, and each
 * probe would be one of them.
 *
 * First attempts may also wait outside, in a third queue. They enter in order as places come free. Flow control lets an
 * owner have one delivery outside in each partition. All of them are refused once the endpoint is suspect.
 *
 * A waiter whose wait ended early stays in its queue until it reaches the front. `leave` removes those at the front,
 * because `peek` must not return them.
 */
export class Line {
  #places: number;
  readonly #queues: Readonly<Record<Pool, Queue<Waiter>>> = { first: new Queue(), retry: new Queue() };
  readonly #returned = new Queue<Waiter>();
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

  /** Adds a delivery, outside when there is no place. Returns where it is. */
  enter(waiter: Waiter): 'inside' | 'outside' {
    this.#waiting += 1;
    const isOutside = waiter.backSince === undefined && !this.hasPlace();
    if (isOutside) this.#outside.push(waiter);
    else this.#admit(waiter);
    return isOutside ? 'outside' : 'inside';
  }

  /** The deliveries inside. */
  *[Symbol.iterator](): Iterator<Waiter> {
    for (const queue of [this.#queues.first, this.#queues.retry, this.#returned])
      for (const waiter of queue) if (!waiter.isGone) yield waiter;
  }

  /** Returns the delivery of this pool whose turn it is. It stays until `leave`. */
  peek(pool: Pool): Waiter | undefined {
    if (pool === 'first') return this.#queues.first.peek() ?? this.#outside.peek();
    return this.#returned.peek() ?? this.#queues.retry.peek();
  }

  get firstOutside(): Waiter | undefined {
    return this.#outside.peek();
  }

  /** Returns whether nobody waits who goes before this one. Those that are back do, unless retries have no capacity. */
  isNext({ pool, backSince }: Asking, retriesHaveCapacity: boolean): boolean {
    if (this.hasReturned && (pool === 'retry' || retriesHaveCapacity)) return false;
    return backSince !== undefined || this.peek(pool) === undefined;
  }

  /** Returns whether one waits that is back at its free time. */
  get hasReturned(): boolean {
    return this.#returned.peek() !== undefined;
  }

  /** Returns who yields a place to one that is back: the first new delivery, or else the one that was planned last, if later. */
  yieldsTo(backSince: number): Waiter | undefined {
    let last = this.#queues.first.peek();
    if (last !== undefined) return last;
    for (const waiter of this.#returned) {
      if (!waiter.isGone && (waiter.backSince ?? 0) > (last?.backSince ?? backSince)) last = waiter;
    }
    return last;
  }

  /** Removes a delivery that is gone, and lets the first one outside take its place. */
  leave(waiter: Waiter, from: 'inside' | 'outside'): void {
    this.#waiting -= 1;
    if (from === 'inside') this.#inside -= 1;
    sweep(this.#queueOf(waiter));
    sweep(this.#outside);
    const next = this.hasPlace() ? this.#outside.shift() : undefined;
    if (next === undefined) return;
    sweep(this.#outside);
    this.#admit(next);
    next.moveInside();
  }

  #admit(waiter: Waiter): void {
    this.#inside += 1;
    this.#queueOf(waiter).push(waiter);
  }

  #queueOf({ backSince, pool }: Waiter): Queue<Waiter> {
    return backSince === undefined ? this.#queues[pool] : this.#returned;
  }
}

/** Removes the waiters at the front that are gone. */
function sweep(queue: Queue<Waiter>): void {
  while (queue.peek()?.isGone === true) queue.shift();
}
