import type { Pool } from '../delivery.ts';
import type { DeliveryProgress } from '../delivery-cursor.ts';
import type { Outcome } from '../outcome.ts';
import type { Entry, Permit } from './entry.ts';
import type { Gate, StartedRequest } from './gate.ts';
import type { Watched } from './late-watch.ts';
import type { SharedPool } from './shared-pool.ts';
import type { Waiter } from './waiting-room.ts';

interface RequestInFlightOptions {
  readonly gate: Gate;
  readonly shared: SharedPool;
  readonly progress: DeliveryProgress;
  readonly started: StartedRequest;
}

/** The part of `Gates` that a request reports to. */
interface RequestOwner {
  released(request: RequestInFlight, outcome: Outcome | undefined): void;
  withdrawn(request: RequestInFlight): void;
}

/** A request in flight, and its permit. Counts as suspect when its endpoint is, and once it is late. */
export class RequestInFlight implements Watched, Permit {
  readonly kind = 'permit';
  readonly gate: Gate;
  readonly shared: SharedPool;
  readonly started: StartedRequest;
  lateAt = 0;
  isGone = false;
  isSuspect: boolean;
  readonly #owner: RequestOwner;
  readonly #progress: DeliveryProgress;
  #isLate = false;

  constructor({ gate, shared, progress, started }: RequestInFlightOptions, owner: RequestOwner) {
    this.gate = gate;
    this.shared = shared;
    this.started = started;
    this.#owner = owner;
    this.#progress = progress;
    this.isSuspect = gate.isSuspect;
    shared.count(gate, this.isSuspect, 1);
  }

  late(now: number): false {
    this.#isLate = true;
    this.gate.countLate(1);
    this.gate.refuseOutside(now);
    this.#progress.markWaiting();
    if (!this.isSuspect) {
      this.shared.count(this.gate, false, -1);
      this.isSuspect = true;
      this.shared.count(this.gate, true, 1);
    }
    return false;
  }

  release(outcome: Outcome | undefined): void {
    this.isGone = true;
    if (this.#isLate) this.gate.countLate(-1);
    this.shared.count(this.gate, this.isSuspect, -1);
    this.#owner.released(this, outcome);
  }

  withdraw(): void {
    this.#owner.withdrawn(this);
  }
}

interface WaitingDeliveryOptions {
  readonly gate: Gate;
  readonly shared: SharedPool;
  readonly pool: Pool;
  readonly progress: DeliveryProgress;
  /** The timer of the longest wait. */
  readonly timer: Disposable;
  readonly resolve: (entry: Entry) => void;
}

/** A delivery in or outside a waiting room. Counts as suspect when its endpoint is, and once it is late. */
export class WaitingDelivery implements Waiter, Watched {
  lateAt = 0;
  isGone = false;
  isOutside = false;
  readonly #options: WaitingDeliveryOptions;
  #isSuspect = false;
  #isLate = false;

  constructor(options: WaitingDeliveryOptions) {
    this.#options = options;
    options.shared.waiting += 1;
    if (options.gate.isSuspect) this.#markSuspect();
  }

  get pool(): Pool {
    return this.#options.pool;
  }

  get progress(): DeliveryProgress {
    return this.#options.progress;
  }

  /** Checks what it waits for. A delivery that waits for shared capacity is not late, and is watched again. */
  late(now: number): boolean {
    const { gate } = this.#options;
    const waitsForEndpoint = gate.isAtLimit(now);
    if (!waitsForEndpoint && !gate.isSuspect) return true;
    this.#isLate = waitsForEndpoint;
    if (waitsForEndpoint) gate.countLate(1);
    this.#markSuspect();
    gate.refuseOutside(now);
    return false;
  }

  /** Ends the wait without a permit, because it has lasted too long. */
  refuse(now: number): void {
    this.settle({ kind: 'refused', outcome: this.#options.gate.reject(now) });
  }

  settle(entry: Entry): void {
    const { gate, shared, timer, resolve } = this.#options;
    timer[Symbol.dispose]();
    gate.room.leave(this);
    shared.waiting -= 1;
    if (this.#isSuspect) shared.suspectWaiting -= 1;
    if (this.#isLate) gate.countLate(-1);
    resolve(entry);
  }

  #markSuspect(): void {
    if (this.#isSuspect) return;
    this.#isSuspect = true;
    this.#options.shared.suspectWaiting += 1;
    this.#options.progress.markWaiting();
  }
}
