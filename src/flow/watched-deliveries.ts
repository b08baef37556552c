import { Expiring, type Deadlines } from '../lib/deadlines.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { DeliveryProgress } from './delivery-cursor.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { EndpointLimit } from './endpoint-health.ts';
import type { Gate, StartedRequest } from './gate.ts';
import { waitingKindOf, type SharedPool } from './capacity.ts';
import type { AskingDelivery, Entry, Permit, Waiter } from './line.ts';

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
export class RequestInFlight extends Expiring implements Permit {
  readonly kind = 'permit';
  readonly gate: Gate;
  readonly shared: SharedPool;
  readonly started: StartedRequest;
  isSuspect: boolean;
  readonly #owner: RequestOwner;
  readonly #progress: DeliveryProgress;
  #isLate = false;

  constructor({ gate, shared, progress, started }: RequestInFlightOptions, owner: RequestOwner) {
    super();
    this.gate = gate;
    this.shared = shared;
    this.started = started;
    this.#owner = owner;
    this.#progress = progress;
    this.isSuspect = gate.isSuspect;
    shared.count(gate, this.isSuspect, 1);
  }

  /** Becomes late. */
  expire(now: number): void {
    this.#isLate = true;
    this.gate.countLate('late', 1);
    this.gate.refuseOutside(now);
    this.#progress.markWaiting();
    if (this.isSuspect) return;
    this.shared.count(this.gate, false, -1);
    this.isSuspect = true;
    this.shared.count(this.gate, true, 1);
  }

  release(outcome: Outcome | undefined): void {
    if (this.#isLate) this.gate.countLate('late', -1);
    this.shared.count(this.gate, this.isSuspect, -1);
    this.#owner.released(this, outcome);
  }

  withdraw(): void {
    this.#owner.withdrawn(this);
  }
}

interface WaitingDeliveryOptions extends AskingDelivery {
  readonly gate: Gate;
  readonly shared: SharedPool;
  readonly lateWatch: Deadlines;
  /** The timer of the longest wait. */
  readonly timer: Disposable;
  readonly resolve: (entry: Entry) => void;
}

/** A delivery in or outside a waiting room. Counts as suspect or paced when its endpoint is, and once it is late. */
export class WaitingDelivery extends Expiring implements Waiter {
  isGone = false;
  isOutside = false;
  readonly #options: WaitingDeliveryOptions;
  #countedAs: 'suspect' | 'paced' | undefined;
  #lateFor: EndpointLimit | undefined;
  readonly #isAhead: boolean;

  constructor(options: WaitingDeliveryOptions, now: number) {
    super();
    this.#options = options;
    this.#isAhead = !options.gate.hasReservations(now);
    options.shared.waiting += 1;
    if (options.gate.overflows) this.#markWaiting();
  }

  get pool(): Pool {
    return this.#options.pool;
  }

  get backSince(): number | undefined {
    return this.#options.backSince;
  }

  get progress(): DeliveryProgress {
    return this.#options.progress;
  }

  /** Watches it until it is late. One that will wait too long for its webhook's own pace counts as late from the start. */
  watch(now: number, lateAfterMs: number): void {
    const { gate, lateWatch } = this.#options;
    if (gate.paceWaitMs(now) < lateAfterMs) return lateWatch.add(this);
    this.#becomeLate('paced', now);
    // Those before it wait for the same pace.
    for (const waiter of gate.room) waiter.overflow();
  }

  /** Checks what it waits for. A delivery that waits for shared capacity is not late, and is watched again. */
  expire(now: number): void {
    const { gate, lateWatch } = this.#options;
    const limit = gate.limitAt(now);
    if (limit !== undefined) return this.#becomeLate(limit, now);
    if (!gate.overflows) return lateWatch.add(this);
    this.#markWaiting();
    gate.refuseOutside(now);
  }

  refuse(now: number): void {
    const { gate, backSince, resolve } = this.#options;
    this.#end();
    resolve({ kind: 'refused', outcome: gate.reject({ isBack: backSince !== undefined, waiting: gate.waiting }, now) });
  }

  /** Refuses it because its longest wait is over. It came before those that wait, and perhaps before all with a free time. */
  endWait(now: number): void {
    const { gate, backSince, resolve } = this.#options;
    this.#end();
    const isBack = backSince !== undefined || this.#isAhead;
    resolve({ kind: 'refused', outcome: gate.reject({ isBack, waiting: isBack ? 0 : gate.waiting }, now) });
  }

  settle(entry: Entry): void {
    this.#end();
    this.#options.resolve(entry);
  }

  overflow(): void {
    this.#markWaiting();
  }

  #becomeLate(limit: EndpointLimit, now: number): void {
    const { gate } = this.#options;
    this.#lateFor = limit;
    gate.countLate(limit, 1);
    this.#markWaiting();
    gate.refuseOutside(now);
  }

  #end(): void {
    const { gate, shared, lateWatch, timer } = this.#options;
    lateWatch.remove(this);
    timer[Symbol.dispose]();
    gate.room.leave(this);
    shared.waiting -= 1;
    if (this.#countedAs !== undefined) shared.waitingAs[this.#countedAs] -= 1;
    if (this.#lateFor !== undefined) gate.countLate(this.#lateFor, -1);
  }

  #markWaiting(): void {
    if (this.#countedAs !== undefined) return;
    const { gate, shared, progress } = this.#options;
    this.#countedAs = waitingKindOf(gate);
    shared.waitingAs[this.#countedAs] += 1;
    progress.markWaiting();
    if (this.#countedAs === 'paced') progress.markIdle();
  }
}
