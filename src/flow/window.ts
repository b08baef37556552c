import type { DeliveryCursor } from './delivery-cursor.ts';
import { Queue } from '../lib/queue.ts';
import type { HeldAmounts } from './held-amounts.ts';

/** The deliveries of one owner in one partition: the cursors that have some to start, and the counts of started ones. */
export interface OwnerQueue {
  readonly ownerId: string;
  readonly cursors: Queue<DeliveryCursor>;
  /** True once the first cursor has started a delivery. */
  hasBegun: boolean;
  /** Started deliveries that do not wait for a suspect endpoint or for Kafka. */
  active: number;
  /** Deliveries outside the full waiting room of a healthy endpoint. */
  outsideRooms: number;
}

/**
 * The window of one partition, shared among the owners of its records: the deliveries that may be active at once.
 *
 * Each owner has a queue of cursors, and the queues take turns. An owner may have as many active deliveries as are left
 * for all. One alone has a half of the window, two have a third each. The next owner thus always finds a place.
 *
 * - The cursors of one owner start in the order of their records, and each to its end. Endpoints belong to one owner, so
 *   deliveries to one endpoint start in the order of the partition.
 * - An owner with a delivery outside a full waiting room starts nothing more, and others go on.
 * - A queue without cursors and active deliveries is dropped.
 */
export class FairWindow {
  readonly #size: number;
  readonly #amounts: HeldAmounts;
  readonly #queues = new Map<string, OwnerQueue>();
  /** The queues with cursors, the one whose turn it is first. */
  readonly #pending = new Queue<OwnerQueue>();
  #pendingRecords = 0;
  #active = 0;
  #outsideRooms = 0;

  constructor(size: number, amounts: HeldAmounts) {
    this.#size = size;
    this.#amounts = amounts;
  }

  /** Records with deliveries that are not started. */
  get pendingRecords(): number {
    return this.#pendingRecords;
  }

  get outsideRooms(): number {
    return this.#outsideRooms;
  }

  /** True if records wait for their start, and none of their owners may start a delivery. */
  get isStopped(): boolean {
    for (const queue of this.#pending) if (this.#mayStart(queue)) return false;
    return this.#pendingRecords > 0;
  }

  add(cursor: DeliveryCursor): void {
    const queue = this.#queueOf(cursor.ownerId);
    queue.cursors.push(cursor);
    this.#countPending(1);
    if (queue.cursors.length === 1) this.#pending.push(queue);
  }

  /** Starts the next delivery that may start. Returns false if there is none. */
  startNext(start: (cursor: DeliveryCursor, queue: OwnerQueue) => void): boolean {
    for (let unseen = this.#pending.length; unseen > 0 && this.#left > 0; unseen -= 1) {
      const queue = this.#pending.shift();
      const cursor = queue?.cursors.peek();
      if (queue === undefined || cursor === undefined) continue;
      const mayStart = this.#mayStart(queue);
      if (mayStart) start(cursor, queue);
      queue.hasBegun ||= mayStart;
      this.#endTurn(queue, cursor);
      if (mayStart) return true;
    }
    return false;
  }

  countActive(queue: OwnerQueue, change: 1 | -1): void {
    queue.active += change;
    this.#active += change;
    this.#dropIfIdle(queue);
  }

  countOutsideRoom(queue: OwnerQueue, change: 1 | -1): void {
    queue.outsideRooms += change;
    this.#outsideRooms += change;
    this.#dropIfIdle(queue);
  }

  /** Removes and returns the cursors that have not begun, or all. */
  removeCursors(which: 'not begun' | 'all'): readonly DeliveryCursor[] {
    const removed: DeliveryCursor[] = [];
    this.#pending.clear();
    for (const queue of this.#queues.values()) {
      const begun = which === 'not begun' && queue.hasBegun ? queue.cursors.shift() : undefined;
      for (const cursor of queue.cursors) removed.push(cursor);
      queue.cursors.clear();
      queue.hasBegun = begun !== undefined;
      if (begun !== undefined) queue.cursors.push(begun);
      if (begun !== undefined) this.#pending.push(queue);
      this.#dropIfIdle(queue);
    }
    this.#countPending(-removed.length);
    return removed;
  }

  #mayStart({ outsideRooms, active }: OwnerQueue): boolean {
    return outsideRooms === 0 && active < this.#left;
  }

  #countPending(change: number): void {
    this.#pendingRecords += change;
    this.#amounts.add({ pending: change });
  }

  get #left(): number {
    return this.#size - this.#active;
  }

  /** Removes the cursor once it has started its last delivery. The queue waits for its next turn if it has another. */
  #endTurn(queue: OwnerQueue, cursor: DeliveryCursor): void {
    if (!cursor.hasNext) {
      queue.cursors.shift();
      queue.hasBegun = false;
      this.#countPending(-1);
    }
    if (queue.cursors.length > 0) this.#pending.push(queue);
    else this.#dropIfIdle(queue);
  }

  #queueOf(ownerId: string): OwnerQueue {
    const existing = this.#queues.get(ownerId);
    if (existing !== undefined) return existing;
    const queue = { ownerId, cursors: new Queue<DeliveryCursor>(), hasBegun: false, active: 0, outsideRooms: 0 };
    this.#queues.set(ownerId, queue);
    return queue;
  }

  #dropIfIdle(queue: OwnerQueue): void {
    const isIdle = queue.active === 0 && queue.outsideRooms === 0 && queue.cursors.length === 0;
    if (isIdle) this.#queues.delete(queue.ownerId);
  }
}
