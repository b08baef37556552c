import { Queue } from '../../lib/queue.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import { Circuit, type CircuitPolicy, type CircuitState } from './circuit.ts';
import type { Pool } from '../delivery.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestHead } from '../request.ts';
import { PaceEstimator } from './pace-estimator.ts';

export interface GatePolicy extends CircuitPolicy {
  /** Requests at once to one endpoint. */
  readonly maxInFlight: number;
  /** Deliveries in its waiting room, both pools together. */
  readonly maxWaiting: number;
  /** The longest stay in the room. */
  readonly maxWaitMs: number;
  /** Of a delivery: a slot later than that is nobody's, and after so long nothing is left that failed here. */
  readonly maxAgeMs: number;
}

/** Capacity that the endpoints share. */
export interface Capacity {
  readonly free: number;
  readonly size: number;
}

export interface SharedCapacity extends Capacity {
  /** The last of it, for endpoints that have nothing out. */
  readonly reserved: number;
}

/** What is to be expected of an endpoint. `doubtful`: it is late, or has failed last. `hanging`: its last request timed out. */
export type EndpointHealth = 'healthy' | 'suspect' | 'unresponsive';

/** The way in: `leave` must be called once, without an outcome when no request was sent after all. */
export interface Permit {
  readonly kind: 'permit';
  readonly gate: Gate;
  release(outcome: Outcome | undefined): void;
}

export type Entry = Permit | { readonly kind: 'refused'; readonly outcome: Outcome };

/** A delivery in a waiting room. */
interface Waiter {
  /** Its time was up: it has left by itself. */
  readonly timedOut: boolean;
  /** Called once: with a pass, or with why there is none. */
  settle(entry: Entry): void;
}

/** Most endpoints answer faster; of a slower one the pace is known by the time that its first slots have come. */
const guessedResponseMs = 500;

/** A request that is out, as its gate knows it. */
interface StartedRequest {
  /** Of the configuration at that time: what comes of the request says nothing about a later one. */
  readonly circuit: Circuit;
  readonly isProbe: boolean;
}

/** How long a gate is kept that nobody uses. */
interface GateRetention {
  readonly healthyMs: number;
  /** While its endpoint has failed last: its failures in a row are to be remembered, but not for ever. */
  readonly failingMs: number;
}

/** One endpoint's in-flight cap, waiting room, circuit and next slot. It keeps count and does nothing else. */
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

  /** Whether its endpoint may not answer. */
  get isSuspect(): boolean {
    return this.health !== 'healthy';
  }

  /** Requests that are out and may never come back. */
  get suspectInFlight(): number {
    return this.#inFlightByHealth.suspect + this.#inFlightByHealth.unresponsive;
  }

  /** Of these, the ones that went out while it was known to hang. */
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

  /** A new version of the configuration has a circuit of its own, and is what the next request is made from. */
  updateWebhook(webhook: Webhook, now: number): void {
    this.#usedAt = now;
    if (webhook === this.#webhook) return;
    this.#webhook = webhook;
    this.#head = undefined;
    this.#circuit = new Circuit(this.#policy);
  }

  /** The request's head for the version at hand, made once. */
  head(create: (webhook: Webhook) => RequestHead): RequestHead {
    this.#head ??= create(this.#webhook);
    return this.#head;
  }

  /** Whether another request may go out now. The cap shrinks in step with the capacity left, never below one. */
  admits(capacity: SharedCapacity, now: number): boolean {
    if (this.#circuit.admits(now) !== 'yes') return false;
    return this.inFlight < Math.min(shareOf(capacity, this.#policy.maxInFlight), this.#circuit.limit);
  }

  /** A request goes out. What is returned is for `end`. */
  start(now: number): StartedRequest {
    return { circuit: this.#circuit, isProbe: this.#circuit.started(now) };
  }

  /** One request more, or fewer, is out that went out under this standing, or came to be late. Of both pools together. */
  count(standing: EndpointHealth, change: 1 | -1): void {
    this.#inFlightByHealth[standing] += change;
  }

  /** It came back; without an outcome none was sent after all. */
  finish(outcome: Outcome | undefined, { circuit, isProbe }: StartedRequest, now: number): void {
    circuit.ended(outcome ?? { kind: 'draining' }, isProbe, now);
    if (outcome === undefined) return;
    this.#lastOutcome = outcome;
    this.#lastOutcomeAt = now;
    // Probes go out one by one, whatever the endpoint takes.
    if (isProbe) this.#pace.busy(now);
    else this.#pace.completed(now, this.#waiting > 0);
  }

  /** How the circuit has changed since this was last asked. */
  circuitChange(now: number): { readonly from: CircuitState; readonly to: CircuitState } | undefined {
    const from = this.#emittedState;
    const to = this.#circuit.state(now);
    this.#emittedState = to;
    return from === to ? undefined : { from, to };
  }

  /** Whether one more may wait. Once all rooms together fill, nobody's holds more than what is left for everybody. */
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

  /** Who is to go next. */
  nextWaiter(pool: Pool): Waiter | undefined {
    const room = this.#rooms[pool];
    this.#sweep(room);
    const waiter = room.shift();
    if (waiter === undefined) return undefined;
    this.#waiting -= 1;
    this.#sweep(room);
    return waiter;
  }

  /** One has left the room by itself. */
  removeTimedOut(pool: Pool): void {
    this.#waiting -= 1;
    this.#sweep(this.#rooms[pool]);
  }

  /**
   * Why somebody can't stay: with the endpoint's next free time, which is his from now on. Of an endpoint that is being
   * probed nobody knows one.
   */
  reject(now: number): Outcome {
    if (this.#circuit.state(now) !== 'closed') return { kind: 'circuit_open' };
    return { kind: 'overloaded', freeAt: this.#pace.reserve(now, this.#waiting) };
  }

  /** Whether it may be forgotten: nothing that still counts would be lost with it. */
  isIdle(now: number, { healthyMs, failingMs }: GateRetention): boolean {
    const state = this.#circuit.state(now);
    if (this.inFlight > 0 || this.#waiting > 0 || this.#pace.hasReservations(now) || state === 'open') return false;
    const isHealthy = state === 'closed' && this.#circuit.failures === 0;
    return now - this.#usedAt >= (isHealthy ? healthyMs : failingMs);
  }

  /** All stay equally long, so who has gone stands in front. */
  #sweep(room: Queue<Waiter>): void {
    while (room.peek()?.timedOut === true) room.shift();
  }
}

/** One endpoint's part of what all share, in step with what is left of it: one at least, while anything is. */
function shareOf({ free, size, reserved }: SharedCapacity, most: number): number {
  if (free <= 0) return 0;
  const left = (free - reserved) / (size - reserved);
  return Math.min(most, Math.max(1, Math.ceil(left * most)));
}
