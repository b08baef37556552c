import type { OwnerPart } from './delivery-run.ts';
import { Queue } from '../lib/queue.ts';
import type { HeldAmounts } from './held-amounts.ts';
import type { Occupation } from './occupation.ts';

/** The deliveries of one record that are not started yet. */
export interface DeliveryCursor {
  readonly ownerId: string;
  readonly hasNext: boolean;
  /** Starts one delivery, which counts for this owner until it ends. */
  startNext(owner: OwnerPart): void;
  /** Abandons the deliveries that are not started. */
  abandon(): void;
}

/** The part of a partition's counts that its window changes. */
export interface WindowCounts {
  /** Amounts of all partitions. */
  readonly amounts: HeldAmounts;
  readonly occupation: Occupation;
  /** Called after each change that lets the partition, or others, read or start more. */
  readonly released: () => void;
  /** Started and unsettled deliveries. */
  deliveries: number;
}

/** The deliveries of one owner in one partition: the cursors that have some to start, and the counts of started ones. */
class OwnerQueue implements OwnerPart {
  readonly ownerId: string;
  readonly cursors = new Queue<DeliveryCursor>();
  /** True once the first cursor has started a delivery. */
  hasBegun = false;
  /** Started deliveries in the window. */
  active = 0;
  /** Deliveries outside the full waiting room of a healthy endpoint. */
  outside = 0;
  readonly #window: FairWindow;

  constructor(ownerId: string, window: FairWindow) {
    this.ownerId = ownerId;
    this.#window = window;
  }

  get occupation(): Occupation {
    return this.#window.counts.occupation;
  }

  count(deliveries: number, active: number, outside: number): void {
    this.active += active;
    this.outside += outside;
    this.#window.count(this, deliveries, active, outside);
  }

  wake(): void {
    this.#window.counts.released();
  }
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
  readonly counts: WindowCounts;
  readonly #size: number;
  readonly #queues = new Map<string, OwnerQueue>();
  /** The queues with cursors, the one whose turn it is first. */
  readonly #pending = new Queue<OwnerQueue>();
  #pendingRecords = 0;
  #active = 0;
  #outside = 0;

  constructor(counts: WindowCounts) {
    this.counts = counts;
    this.#size = counts.amounts.window;
  }

  /** Records with deliveries that are not started. */
  get pendingRecords(): number {
    return this.#pendingRecords;
  }

  /** Deliveries outside a full waiting room. */
  get outside(): number {
    return this.#outside;
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
  startNext(): boolean {
    for (let unseen = this.#pending.length; unseen > 0 && this.#left > 0; unseen -= 1) {
      const queue = this.#pending.shift();
      const cursor = queue?.cursors.peek();
      if (queue === undefined || cursor === undefined) continue;
      const mayStart = this.#mayStart(queue);
      if (mayStart) cursor.startNext(queue);
      queue.hasBegun ||= mayStart;
      this.#endTurn(queue, cursor);
      if (mayStart) return true;
    }
    return false;
  }

  /** Adds to the counts of all owners. Only an owner calls this, which has added to its own. */
  count(queue: OwnerQueue, deliveries: number, active: number, outside: number): void {
    this.#active += active;
    this.#outside += outside;
    this.counts.deliveries += deliveries;
    if (deliveries !== 0) this.counts.amounts.add({ deliveries });
    this.#dropIfIdle(queue);
  }

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

  #mayStart({ outside, active }: OwnerQueue): boolean {
    return outside === 0 && active < this.#left;
  }

  #countPending(change: number): void {
    this.#pendingRecords += change;
    this.counts.amounts.add({ pending: change });
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
    const queue = new OwnerQueue(ownerId, this);
    this.#queues.set(ownerId, queue);
    return queue;
  }

  #dropIfIdle(queue: OwnerQueue): void {
    const isIdle = queue.active === 0 && queue.outside === 0 && queue.cursors.length === 0;
    // Deliveries that have left the window may end after their owner has got another queue.
    if (isIdle && this.#queues.get(queue.ownerId) === queue) this.#queues.delete(queue.ownerId);
  }
}
