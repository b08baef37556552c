import { Queue } from '../lib/queue.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { DeliveryProgress } from './delivery-cursor.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { RequestHead } from '../deliveries/request.ts';
import type { Webhook } from '../webhooks/webhook.ts';

/** The part of a gate that a permitted request needs. */
interface PermittedEndpoint {
  updateWebhook(webhook: Webhook, now: number): void;
  head(create: (webhook: Webhook) => RequestHead): RequestHead;
  readonly pacer: { write(now: number): number } | undefined;
}

/** Allows one request to the gate's endpoint. */
export interface Permit {
  readonly kind: 'permit';
  readonly gate: PermittedEndpoint;
  /** Gives the capacity back. Must be called once, with undefined when no request was sent. */
  release(outcome: Outcome | undefined): void;
  /** Counts a failure of the endpoint in place of its success. The delivery stays settled. Called after `release`. */
  withdraw(): void;
}

export type Entry = Permit | { readonly kind: 'refused'; readonly outcome: Outcome };

/** A delivery that asks for a permit. */
export interface AskingDelivery {
  readonly pool: Pool;
  readonly progress: DeliveryProgress;
  /** The time at which it was planned, if it is back at the free time that it was given. */
  readonly backSince?: number | undefined;
}

/** A delivery that waits for its endpoint. */
export interface Waiter extends AskingDelivery {
  /** Ends the wait. Called once. */
  settle(entry: Entry): void;
  /** Ends the wait with a later free time. Called once, in place of `settle`. */
  refuse(now: number): void;
  /** Notes that its endpoint overflows. */
  overflow(): void;
  /** True once the wait is over. The queues may still hold it then. */
  isGone: boolean;
  /** True while it waits for a place in the room. */
  isOutside: boolean;
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
export class WaitingRoom {
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

  /** Adds a delivery, outside when there is no place. */
  enter(waiter: Waiter): void {
    this.#waiting += 1;
    if (waiter.backSince !== undefined || this.hasPlace()) return this.#admit(waiter);
    waiter.isOutside = true;
    waiter.progress.markOutsideRoom(true);
    this.#outside.push(waiter);
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
  isNext({ pool, backSince }: AskingDelivery, retriesHaveCapacity: boolean): boolean {
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

  /** Ends the wait of a delivery, and lets the first one outside take its place. */
  leave(waiter: Waiter): void {
    waiter.isGone = true;
    this.#waiting -= 1;
    if (waiter.isOutside) this.#endOutside(waiter);
    else this.#inside -= 1;
    sweep(this.#queueOf(waiter));
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
