import type { Pool } from '../deliveries/delivery.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import { Expiring, type Deadlines } from '../lib/deadlines.ts';
import { waitingKindOf, type SharedPool } from './capacity.ts';
import type { SentRequest } from './circuit.ts';
import type { EndpointLimit } from './endpoint-health.ts';
import type { Gate } from './gate.ts';
import type { Waiter } from './line.ts';
import type { DeliveryState, Occupation, Occupied } from './occupation.ts';

/** The part of a delivery's owner in the window of its partition. */
export interface OwnerPart {
  readonly occupation: Occupation;
  /** Adds to the numbers of started deliveries, of active ones, and of those outside a waiting room. */
  count(deliveries: number, active: number, outside: number): void;
  /** Starts and reads what may use what was freed. */
  wake(): void;
}

interface WaitLimits {
  readonly longestWait: Disposable;
  readonly lateWatch: Deadlines;
  readonly lateAfterMs: number;
}

/**
 * One delivery from its start to its end, as flow control sees it: its state, and so what it occupies.
 *
 *     deciding ─▶ outside ─▶ waiting ─▶ sent ─▶ deciding ─▶ writing ─▶ ended
 *                      waiting_suspect, _paced   sent_suspect, late
 *
 * `occupation` says what a delivery occupies in each state. A change of state is one call of `#become`, which changes all counts
 * and then wakes who waits for what was freed. Only that starts other deliveries, so they find the counts right.
 *
 * `Gates` calls `ask`, `wait`, `send` and `answered`; the line of the endpoint calls `moveInside`, `overflow` and `refuse`; the
 * pipeline calls `write`, `moveOn` and `end`. Its subclass there says what follows a permit or a refusal after a wait.
 */
export abstract class DeliveryRun extends Expiring implements Waiter {
  abstract readonly pool: Pool;
  /** The time at which it was planned, if it is back at the free time that it was given. */
  abstract readonly backSince: number | undefined;
  /** The latest request, as its gate remembers it. */
  request: SentRequest | undefined;
  readonly #owner: OwnerPart;
  #state: DeliveryState = 'deciding';
  #isActive = true;
  #gate: Gate | undefined;
  #shared: SharedPool | undefined;
  #limits: WaitLimits | undefined;
  /** The reason for which it makes its endpoint late or paced. */
  #lateFor: EndpointLimit | undefined;
  /** True if it goes before those with a free time that are not back. */
  #isAhead = false;

  constructor(owner: OwnerPart) {
    super();
    this.#owner = owner;
    owner.count(1, 1, 0);
  }

  /** Called after a wait, once its request may be sent. */
  protected abstract permitted(): void;
  /** Called after a wait that ended without a permit. */
  protected abstract refused(outcome: Outcome): void;

  get state(): DeliveryState {
    return this.#state;
  }

  /** True while it is in the window of its partition. */
  get isActive(): boolean {
    return this.#isActive;
  }

  get isGone(): boolean {
    return this.#occupied.line === undefined;
  }

  get gate(): Gate {
    if (this.#gate === undefined) throw new Error('the delivery has not asked for a permit');
    return this.#gate;
  }

  /** The capacity that it shares with other endpoints. */
  get shared(): SharedPool {
    if (this.#shared === undefined) throw new Error('the delivery has not asked for a permit');
    return this.#shared;
  }

  /** Notes whose permit it asks for. */
  ask(gate: Gate, shared: SharedPool): void {
    this.#gate = gate;
    this.#shared = shared;
  }

  /** Enters the line of its endpoint. One that will wait too long for its pace is late from the start. */
  wait(limits: WaitLimits, now: number): void {
    const { gate } = this;
    this.#limits = limits;
    // Free times by the webhook's own limit are exact. By another pace, the room had too many places.
    this.#isAhead = gate.pacer?.isExact !== true || !gate.hasReservations(now);
    this.#become(gate.line.enter(this) === 'outside' ? 'outside' : waitingState(gate));
    if (gate.paceWaitMs(now) < limits.lateAfterMs) return limits.lateWatch.add(this);
    this.#becomeLate('paced', now);
    // Those before it wait for the same pace.
    for (const waiter of gate.line) waiter.overflow();
  }

  moveInside(): void {
    this.#become(waitingState(this.gate));
  }

  overflow(): void {
    if (this.#state === 'waiting') this.#become(waitingState(this.gate));
  }

  /** Occupies a request. Its permit follows in a microtask after a wait, and otherwise from who asked. */
  send(request: SentRequest): void {
    const hasWaited = !this.isGone;
    this.request = request;
    this.#become(this.gate.isSuspect ? 'sent_suspect' : 'sent');
    if (hasWaited) queueMicrotask(() => this.permitted());
  }

  /** Gives the request back. */
  answered(): void {
    this.#become('deciding');
  }

  refuse(now: number): void {
    this.write();
    this.#refusedBy(this.backSince !== undefined, this.gate.waiting, now);
  }

  /** Refuses it because its longest wait is over. It came before those that wait, and perhaps before all with a free time. */
  endWait(now: number): void {
    this.write();
    const isBack = this.backSince !== undefined || this.#isAhead;
    this.#refusedBy(isBack, isBack ? 0 : this.gate.waiting, now);
  }

  refuseAs(outcome: Outcome): void {
    this.write();
    queueMicrotask(() => this.refused(outcome));
  }

  /** Checks what it waits for. One that waits for shared capacity is not late, and is watched again. */
  expire(now: number): void {
    const { gate } = this;
    if (this.isGone) return this.#becomeLate('late', now);
    const limit = gate.limitAt(now);
    if (limit !== undefined) return this.#becomeLate(limit, now);
    if (!gate.overflows) return this.#limits?.lateWatch.add(this);
    this.overflow();
    gate.refuseOutside(now);
  }

  /** Notes that it waits for Kafka. Leaves the line, if it was in one. */
  write(): void {
    this.#become('writing');
  }

  /** Notes that it moves on to another topic and needs no endpoint. */
  moveOn(): void {
    this.#become('moving_on');
  }

  /** Must be called once, when it is settled or abandoned. */
  end(): void {
    this.#become('ended');
  }

  #becomeLate(limit: EndpointLimit, now: number): void {
    const { gate } = this;
    this.#lateFor = limit;
    gate.countLate(limit, 1);
    gate.refuseOutside(now);
    if (this.isGone) this.#become('late');
    else this.overflow();
  }

  #refusedBy(isBack: boolean, waiting: number, now: number): void {
    const outcome = this.gate.reject({ isBack, waiting }, now);
    queueMicrotask(() => this.refused(outcome));
  }

  get #occupied(): Occupied {
    return this.#owner.occupation[this.#state];
  }

  #become(next: DeliveryState): void {
    const before = this.#occupied;
    this.#state = next;
    const after = this.#occupied;
    // A request that follows a wait is counted before the wait's end, so that no other takes its place.
    this.#countAtEndpoint(after, 1);
    this.#countAtEndpoint(before, -1);
    if (isElsewhere(before, after)) this.#endLateness();
    const hasFreed = this.#countAtOwner(before, after);
    if (before.line !== undefined && after.line === undefined) this.#leave(before.line);
    if (hasFreed) this.#owner.wake();
  }

  #countAtEndpoint({ line, request, part }: Occupied, change: 1 | -1): void {
    if (line !== undefined) this.shared.countWaiting(part, change);
    if (request === true) this.shared.count(this.gate, part === 'suspect', change);
  }

  /** Returns whether it occupies less than before. */
  #countAtOwner(before: Occupied, after: Occupied): boolean {
    const deliveries = this.#state === 'ended' ? -1 : 0;
    const active = this.#isActive && !isInWindow(after, this.pool) ? -1 : 0;
    const turns = Number(after.turn ?? false) - Number(before.turn ?? false);
    if (active < 0) this.#isActive = false;
    this.#owner.count(deliveries, active, turns);
    return deliveries < 0 || active < 0 || turns < 0;
  }

  #endLateness(): void {
    if (this.#lateFor !== undefined) this.gate.countLate(this.#lateFor, -1);
    this.#lateFor = undefined;
  }

  #leave(from: 'inside' | 'outside'): void {
    this.#limits?.lateWatch.remove(this);
    this.#limits?.longestWait[Symbol.dispose]();
    this.#limits = undefined;
    this.gate.line.leave(this, from);
  }
}

function isInWindow({ window }: Occupied, pool: Pool): boolean {
  return window === 'all' || (window === 'retries' && pool === 'retry');
}

/** Returns whether a wait or a request has ended. */
function isElsewhere(before: Occupied, after: Occupied): boolean {
  return (before.line === undefined) !== (after.line === undefined) || before.request !== after.request;
}

/** Returns the state of a delivery in the waiting room of an endpoint. */
function waitingState(gate: Gate): DeliveryState {
  return gate.overflows ? `waiting_${waitingKindOf(gate)}` : 'waiting';
}
