import { Queue } from '../../lib/queue.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import { Circuit, type CircuitPolicy, type CircuitState } from './circuit.ts';
import type { Pool } from '../delivery.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestHead } from '../request.ts';
import { PaceEstimator } from './pace-estimator.ts';

export interface GatePolicy extends CircuitPolicy {
  /** The limit of requests in flight to one endpoint. */
  readonly maxInFlight: number;
  /** The limit of deliveries in one endpoint's waiting room, both pools together. */
  readonly maxWaiting: number;
  /** The longest time that a delivery stays in the waiting room. */
  readonly maxWaitMs: number;
  /** `DELIVERY_MAX_AGE`. No free time beyond it is reserved; failure history is dropped after it. */
  readonly maxAgeMs: number;
}

/** Capacity that the endpoints share. */
export interface Capacity {
  readonly free: number;
  readonly size: number;
}

export interface SharedCapacity extends Capacity {
  /** The part that only endpoints without a request in flight may use. */
  readonly reserved: number;
}

/**
 * The health of an endpoint, as its gate sees it.
 *
 * - `healthy`: no attempt has failed since the last success, and no request is late.
 * - `suspect`: the last attempt failed, or a request in flight is late or was sent in this state.
 * - `unresponsive`: the last attempt failed, and the last outcome is a timeout.
 */
export type EndpointHealth = 'healthy' | 'suspect' | 'unresponsive';

/** Allows one request to the gate's endpoint. */
export interface Permit {
  readonly kind: 'permit';
  readonly gate: Gate;
  /** Gives the capacity back. Must be called once, with undefined when no request was sent. */
  release(outcome: Outcome | undefined): void;
}

export type Entry = Permit | { readonly kind: 'refused'; readonly outcome: Outcome };

/** A delivery in a waiting room. */
interface Waiter {
  /** True once `maxWaitMs` have passed. The delivery has been refused then. */
  readonly timedOut: boolean;
  /** Ends the wait with a permit or a refusal. Called once, and not after a timeout. */
  settle(entry: Entry): void;
}

/**
 * The response time assumed before any was measured. A low guess on purpose, because a due time is kept once given. A
 * high guess would make deliveries to a fast endpoint wait for minutes.
 */
const guessedResponseMs = 500;

/** A request in flight, as its gate remembers it. */
interface StartedRequest {
  /** The circuit at the time of sending. The outcome says nothing about a later version of the webhook. */
  readonly circuit: Circuit;
  readonly isProbe: boolean;
}

/** The time after its last use for which a gate is kept. */
interface GateRetention {
  readonly healthyMs: number;
  /** The time for a gate whose last attempt failed, so that its failures in a row are remembered. */
  readonly failingMs: number;
}

/**
 * Keeps count of everything about one endpoint: requests in flight, waiting room, circuit, pace and health.
 *
 * Makes decisions and has no timers and no I/O. `Gates` owns all gates, calls them with the time, and does the rest.
 *
 * | state                     | purpose                        | changed by                                |
 * | ------------------------- | ------------------------------ | ----------------------------------------- |
 * | webhook and request head  | the next request               | `updateWebhook`                           |
 * | circuit                   | one version of the webhook     | `start`, `finish`, `updateWebhook`        |
 * | requests by health        | the limit, both pools together | `count`, called by the shared pools       |
 * | two waiting rooms         | one queue for each pool        | `enqueue`, `nextWaiter`, `removeTimedOut` |
 * | pace                      | estimated free times           | `enqueue`, `finish`, `reject`             |
 *
 * - A request may be sent if the circuit allows it and the endpoint's share of the free capacity is not used up. The
 *   share is at least one while anything is free.
 * - The waiting rooms are first in, first out.
 * - A rejected delivery gets a free time of its own, unless the circuit is not closed. The pace of probes says nothing.
 * - The outcome of a request counts for the circuit that it was started with, not for that of a newer version.
 * - A gate with a request, a waiting delivery, a reservation or an open circuit is never idle.
 *
 * All waiters may wait equally long, so those that have timed out are always at the front of their queue. `#sweep`
 * removes them there. Without it, `hasWaiting` would count deliveries that were refused already.
 */
export class Gate {
  readonly #policy: GatePolicy;
  readonly #pace: PaceEstimator;
  readonly #rooms: Readonly<Record<Pool, Queue<Waiter>>> = { first: new Queue(), retry: new Queue() };
  #webhook: Webhook;
  #circuit: Circuit;
  #head: RequestHead | undefined;
  readonly #inFlightByHealth: Record<EndpointHealth, number> = { healthy: 0, suspect: 0, unresponsive: 0 };
  #waiting = 0;
  #usedAt = 0;
  #lastOutcome: Outcome | undefined;
  #lastOutcomeAt: number | undefined;
  #emittedState: CircuitState = 'closed';

  constructor(webhook: Webhook, policy: GatePolicy) {
    this.#webhook = webhook;
    this.#policy = policy;
    this.#circuit = new Circuit(policy);
    const { maxInFlight, maxAgeMs } = policy;
    const guess = { intervalMs: guessedResponseMs / maxInFlight, completions: maxInFlight };
    this.#pace = new PaceEstimator(guess, maxAgeMs);
  }

  get webhook(): Webhook {
    return this.#webhook;
  }

  get circuit(): Circuit {
    return this.#circuit;
  }

  get inFlight(): number {
    return this.#inFlightByHealth.healthy + this.suspectInFlight;
  }

  get health(): EndpointHealth {
    if (this.#circuit.failures > 0) return this.#lastOutcome?.kind === 'timeout' ? 'unresponsive' : 'suspect';
    return this.suspectInFlight > 0 ? 'suspect' : 'healthy';
  }

  get isSuspect(): boolean {
    return this.health !== 'healthy';
  }

  /** Requests in flight that are late, or were sent while the endpoint was not healthy. */
  get suspectInFlight(): number {
    return this.#inFlightByHealth.suspect + this.#inFlightByHealth.unresponsive;
  }

  /** Requests in flight that were sent while the endpoint was unresponsive. */
  get unresponsiveInFlight(): number {
    return this.#inFlightByHealth.unresponsive;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get lastOutcome(): Outcome | undefined {
    return this.#lastOutcome;
  }

  get lastOutcomeAt(): number | undefined {
    return this.#lastOutcomeAt;
  }

  /** Takes over the current version of the webhook. A new version gets a new head and a new circuit. */
  updateWebhook(webhook: Webhook, now: number): void {
    this.#usedAt = now;
    if (webhook === this.#webhook) return;
    this.#webhook = webhook;
    this.#head = undefined;
    this.#circuit = new Circuit(this.#policy);
  }

  /** Returns the request head of the current version, created on first use. */
  head(create: (webhook: Webhook) => RequestHead): RequestHead {
    this.#head ??= create(this.#webhook);
    return this.#head;
  }

  /** Returns whether another request may be sent now. */
  admits(capacity: SharedCapacity, now: number): boolean {
    if (this.#circuit.admits(now) !== 'yes') return false;
    return this.inFlight < Math.min(shareOf(capacity, this.#policy.maxInFlight), this.#circuit.limit);
  }

  /** Notes that a request is sent. Returns what `finish` needs. */
  start(now: number): StartedRequest {
    return { circuit: this.#circuit, isProbe: this.#circuit.started(now) };
  }

  /** Adds or removes one request in flight. `health` is that of `CountedRequest`. */
  count(health: EndpointHealth, change: 1 | -1): void {
    this.#inFlightByHealth[health] += change;
  }

  /** Notes the outcome of a request; undefined when none was sent. */
  finish(outcome: Outcome | undefined, { circuit, isProbe }: StartedRequest, now: number): void {
    circuit.ended(outcome ?? { kind: 'draining' }, isProbe, now);
    if (outcome === undefined) return;
    this.#lastOutcome = outcome;
    this.#lastOutcomeAt = now;
    // Probes are sent one by one, so their pace is not the endpoint's.
    if (isProbe) this.#pace.busy(now);
    else this.#pace.completed(now, this.#waiting > 0);
  }

  /** Returns how the circuit's state has changed since the last call; undefined if it has not. */
  circuitChange(now: number): { readonly from: CircuitState; readonly to: CircuitState } | undefined {
    const from = this.#emittedState;
    const to = this.#circuit.state(now);
    this.#emittedState = to;
    return from === to ? undefined : { from, to };
  }

  /**
   * Returns whether one more delivery may wait. As all rooms fill, each holds at most as many as are free for
   * everybody.
   */
  hasRoom(room: Capacity): boolean {
    return this.#waiting < Math.min(this.#policy.maxWaiting, room.free);
  }

  hasWaiting(pool: Pool): boolean {
    return this.waitingIn(pool) > 0;
  }

  waitingIn(pool: Pool): number {
    return this.#rooms[pool].length;
  }

  enqueue(pool: Pool, waiter: Waiter, now: number): void {
    if (this.#waiting === 0) this.#pace.busy(now);
    this.#rooms[pool].push(waiter);
    this.#waiting += 1;
  }

  /** Removes and returns the delivery that has waited longest. */
  nextWaiter(pool: Pool): Waiter | undefined {
    const room = this.#rooms[pool];
    this.#sweep(room);
    const waiter = room.shift();
    if (waiter === undefined) return undefined;
    this.#waiting -= 1;
    this.#sweep(room);
    return waiter;
  }

  /** Removes a delivery whose time in the waiting room is over. */
  removeTimedOut(pool: Pool): void {
    this.#waiting -= 1;
    this.#sweep(this.#rooms[pool]);
  }

  /**
   * Returns the outcome of a delivery that can't stay. Reserves a free time for it, unless the endpoint is being
   * probed.
   */
  reject(now: number): Outcome {
    if (this.#circuit.state(now) !== 'closed') return { kind: 'circuit_open' };
    return { kind: 'overloaded', freeAt: this.#pace.reserve(now, this.#waiting) };
  }

  /** Returns whether the gate may be dropped. */
  isIdle(now: number, { healthyMs, failingMs }: GateRetention): boolean {
    const state = this.#circuit.state(now);
    if (this.inFlight > 0 || this.#waiting > 0 || this.#pace.hasReservations(now) || state === 'open') return false;
    const isHealthy = state === 'closed' && this.#circuit.failures === 0;
    return now - this.#usedAt >= (isHealthy ? healthyMs : failingMs);
  }

  #sweep(room: Queue<Waiter>): void {
    while (room.peek()?.timedOut === true) room.shift();
  }
}

/**
 * Returns one endpoint's share of the free capacity: its own limit times the free part, and at least one.
 * Rounded up, because the free part is below 1 with the first request in flight. Rounded down, a lone endpoint would
 * never reach its limit.
 */
function shareOf({ free, size, reserved }: SharedCapacity, most: number): number {
  if (free <= 0) return 0;
  const left = (free - reserved) / (size - reserved);
  return Math.min(most, Math.max(1, Math.ceil(left * most)));
}
