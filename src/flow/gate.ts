import type { GatePolicy } from './limits.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { Circuit, type CircuitState, type SentRequest } from './circuit.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { EndpointHealth, EndpointLimit } from './endpoint-health.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { RequestHead } from '../deliveries/request.ts';
import { PaceEstimator } from './pace/pace-estimator.ts';
import { StartPacer } from './pace/start-pacer.ts';
import { Line } from './line.ts';

/** The capacity that one endpoint shares with others, in requests in flight. */
export interface SharedCapacity {
  readonly free: number;
  readonly size: number;
  /** Requests of the other endpoints. */
  readonly ofOthers: number;
}

/**
 * The response time assumed before any was measured. A low guess on purpose, because a due time is kept once given. A
 * high guess would make deliveries to a fast endpoint wait for minutes.
 */
const guessedResponseMs = 500;

/**
 * Keeps count of everything about one endpoint: requests in flight, waiting room, circuit, pace and health.
 *
 * Makes decisions and has no timers and no I/O. `Gates` owns all gates, calls them with the time, and does the rest.
 *
 * | state                     | purpose                        | changed by                                |
 * | ------------------------- | ------------------------------ | ----------------------------------------- |
 * | webhook and request head  | the next request               | `updateWebhook`                           |
 * | circuit                   | one version of the webhook     | `start`, `finish`, `updateWebhook`        |
 * | requests, suspect ones    | the limit, both pools together | `count`, called by the shared pools       |
 * | late and paced deliveries | health                         | `countLate`, called by the watched ones   |
 * | waiting room              | deliveries of both pools       | the room's own methods                    |
 * | pace                      | estimated free times           | `finish`, `reject`                        |
 * | pacer                     | `perMinute`, the learned pace  | `start`, `finish`, `updateWebhook`, Gates |
 *
 * - A request may be sent if the circuit and the pacer allow it and the endpoint's share of the free capacity is not used
 *   up. The share is at least one while anything is free.
 * - The waiting room is first in, first out in each pool. It has the places of as many as can be sent within the longest wait.
 * - A rejected delivery gets a free time of its own, unless the circuit is not closed. The pace of probes says nothing. In a pause
 *   that the endpoint has asked for, it gets one behind the pause, unless the endpoint has asked again instead of accepting.
 * - The outcome of a request counts for the circuit that it was started with, not for that of a newer version.
 * - A gate with a request, a waiting delivery, a reservation or an open circuit is never idle.
 */
export class Gate {
  readonly line: Line;
  readonly #policy: GatePolicy;
  readonly #pace: PaceEstimator;
  #pacer: StartPacer | undefined;
  /** The start of the requests since the last pause or idle time, and the number of those that were accepted. */
  #busySince = 0;
  #accepted = 0;
  #maxInFlight = 0;
  #webhook: Webhook;
  #circuit: Circuit;
  #head: RequestHead | undefined;
  readonly #inFlight: Record<Pool, number> = { first: 0, retry: 0 };
  readonly #suspectInFlight: Record<Pool, number> = { first: 0, retry: 0 };
  #lastPool: Pool = 'retry';
  #late = 0;
  #paced = 0;
  #usedAt = 0;
  #lastOutcome: Outcome | undefined;
  #lastOutcomeAt: number | undefined;
  #emittedState: CircuitState = 'closed';

  /** `assignedAt` is the monotonic time since when this process may have the deliveries of the webhook. */
  constructor(webhook: Webhook, policy: GatePolicy, assignedAt = Number.NEGATIVE_INFINITY) {
    this.#webhook = webhook;
    this.#policy = policy;
    this.#circuit = new Circuit(policy);
    const { maxInFlight, maxWaiting } = policy;
    this.line = new Line(maxWaiting);
    const atOnce = Math.min(webhook.limits?.inFlight ?? maxInFlight, maxInFlight);
    this.#pace = new PaceEstimator(guessedResponseMs / atOnce, policy);
    this.#applyLimits(assignedAt);
  }

  get webhook(): Webhook {
    return this.#webhook;
  }

  get circuit(): Circuit {
    return this.#circuit;
  }

  get inFlight(): number {
    return this.#inFlight.first + this.#inFlight.retry;
  }

  inFlightIn(pool: Pool): number {
    return this.#inFlight[pool];
  }

  /** Returns the requests in flight that are late, or were sent while the endpoint was suspect. */
  suspectInFlight(pool: Pool): number {
    return this.#suspectInFlight[pool];
  }

  get health(): EndpointHealth {
    if (this.#circuit.isFailing) return 'failing';
    if (this.#late > 0) return 'late';
    return this.#paced > 0 ? 'paced' : 'healthy';
  }

  /** True if the endpoint may use only the capacity that such endpoints share. */
  get isSuspect(): boolean {
    return this.health === 'failing' || this.health === 'late';
  }

  /** True if deliveries without a place in the room are refused, instead of waiting outside. */
  get overflows(): boolean {
    return this.health !== 'healthy';
  }

  /** Returns what deliveries wait for at the endpoint itself; undefined if they wait for shared capacity. */
  limitAt(now: number): EndpointLimit | undefined {
    if (this.readyAt(now) > now) return 'paced';
    return this.inFlight >= Math.min(this.#maxInFlight, this.#circuit.limit) ? 'late' : undefined;
  }

  /** Returns the earliest time of the next request, by its pacer and by the pause that its endpoint has asked for. */
  readyAt(now: number): number {
    return Math.max(now, this.#pacer?.readyAt ?? now, this.#circuit.pausedUntil(now) ?? now);
  }

  /** Returns for how long the last of those that wait will wait for that. */
  paceWaitMs(now: number): number {
    const firstMs = this.readyAt(now) - now;
    return firstMs === 0 ? 0 : firstMs + (this.waiting - 1) * (this.#pacer?.spacingMs ?? 0);
  }

  get pacer(): StartPacer | undefined {
    return this.#pacer;
  }

  /** The pool of the latest request. */
  get lastPool(): Pool {
    return this.#lastPool;
  }

  get waiting(): number {
    return this.line.waiting;
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
    const { maxWaiting, maxWaitMs } = this.#policy;
    this.line.resize(Math.max(1, Math.min(maxWaiting, Math.floor(maxWaitMs / this.#pace.intervalMs))));
    if (webhook === this.#webhook) return;
    this.#webhook = webhook;
    this.#head = undefined;
    this.#circuit = new Circuit(this.#policy);
    this.#applyLimits(now);
  }

  /** Returns the request head of the current version, created on first use. */
  head(create: (webhook: Webhook) => RequestHead): RequestHead {
    this.#head ??= create(this.#webhook);
    return this.#head;
  }

  /** Returns whether the circuit and the endpoint's own limit allow another request. If not, one that ends will. */
  isOpen(now: number): boolean {
    return this.limitAt(now) === undefined && this.#circuit.admits(now) === 'yes';
  }

  /** Returns whether another request may be sent now. */
  admits(capacity: SharedCapacity, now: number): boolean {
    return this.isOpen(now) && this.inFlight < shareOf(capacity, this.#maxInFlight);
  }

  /** Notes that a request is sent. Returns what `finish` needs. */
  start(pool: Pool, now: number): SentRequest {
    this.#lastPool = pool;
    const isProbe = this.#circuit.started(now);
    // A learned pace also makes nothing wait.
    if (isProbe || (this.inFlight + this.waiting === 0 && this.#pacer?.hasLearned !== true))
      [this.#busySince, this.#accepted] = [now, 0];
    this.#pacer?.started(now);
    return { circuit: this.#circuit, isProbe, sentAt: now };
  }

  /** Adds or removes one request in flight. */
  count(pool: Pool, isSuspect: boolean, change: 1 | -1): void {
    this.#inFlight[pool] += change;
    if (isSuspect) this.#suspectInFlight[pool] += change;
  }

  /** Notes that a delivery has become late for this reason, or that such a one has ended. */
  countLate(limit: EndpointLimit, change: 1 | -1): void {
    if (limit === 'late') this.#late += change;
    else this.#paced += change;
  }

  /** Notes the outcome of a request; undefined when none was sent. */
  finish(outcome: Outcome | undefined, started: SentRequest, now: number): void {
    const { circuit, isProbe, sentAt } = started;
    const wasPaused = circuit.pausedUntil(now) !== undefined;
    started.success = circuit.ended(outcome ?? { kind: 'draining' }, isProbe, now);
    if (circuit === this.#circuit) this.#learn(wasPaused, started.success !== undefined, now);
    if (outcome === undefined) return;
    this.#lastOutcome = outcome;
    this.#lastOutcomeAt = now;
    // Probes are sent one by one, and others may wait for the pacer: their pace is not the endpoint's.
    const isMeasured = !isProbe && this.waiting > 0 && this.#pacer?.isReady(now) !== false;
    if (isMeasured) this.#pace.completed(now - sentAt, this.inFlight + 1);
  }

  /** Counts a failure in place of a success, because the endpoint exceeded a limit after its 2xx. */
  withdraw({ circuit, isProbe, success }: SentRequest, now: number): void {
    if (success === undefined) return;
    circuit.withdraw(success, isProbe, now);
    this.#lastOutcome = { kind: 'protocol_error', message: 'the endpoint sent more than it may after its 2xx' };
    this.#lastOutcomeAt = now;
  }

  /** Returns how the circuit's state has changed since the last call; undefined if it has not. */
  circuitChange(now: number): { readonly from: CircuitState; readonly to: CircuitState } | undefined {
    const from = this.#emittedState;
    const to = this.#circuit.state(now);
    this.#emittedState = to;
    return from === to ? undefined : { from, to };
  }

  /** Refuses the deliveries outside the room, because the room overflows. */
  refuseOutside(now: number): void {
    for (let waiter = this.line.firstOutside; waiter !== undefined; waiter = this.line.firstOutside) waiter.refuse(now);
  }

  /** Returns whether free times in the future are reserved here. */
  hasReservations(now: number): boolean {
    return this.#pace.hasReservations(now);
  }

  /**
   * Returns the outcome of a delivery that can't stay. Reserves a free time for it, unless the endpoint fails
   * and is being probed. `waiting`: those that go before it.
   */
  reject(rejected: { readonly isBack: boolean; readonly waiting: number }, now: number): Outcome {
    if (this.#circuit.state(now) !== 'closed' && !this.#circuit.isPausedOnce) return { kind: 'circuit_open' };
    const readyAt = this.readyAt(now);
    const nextAt = readyAt > now ? readyAt : now + this.#pace.intervalMs;
    return { kind: 'overloaded', freeInMs: this.#pace.reserve({ ...rejected, nextAt }, now) };
  }

  /** Returns whether the gate may be dropped: after this time without use, or later if its endpoint fails. */
  isIdle(now: number, keepIdleMs: number): boolean {
    const state = this.#circuit.state(now);
    if (this.inFlight > 0 || this.waiting > 0 || this.#pace.hasReservations(now) || state === 'open') return false;
    if (this.#pacer?.isReady(now) === false) return false;
    const isHealthy = state === 'closed' && !this.#circuit.isFailing;
    // Failures are remembered for as long as a delivery that failed there may still exist. When they were forgotten after an
    // hour, a dead endpoint got three times as many requests in 72 hours.
    return now - this.#usedAt >= (isHealthy ? keepIdleMs : this.#policy.maxAgeMs);
  }

  /** Counts a success, or tells the pacer about a pause that begins. One without a success before it tells nothing. */
  #learn(wasPaused: boolean, isSuccess: boolean, now: number): void {
    if (isSuccess) this.#accepted += 1;
    const pausedUntil = this.#circuit.isPausedOnce ? this.#circuit.pausedUntil(now) : undefined;
    if (wasPaused || pausedUntil === undefined || (this.#accepted === 0 && this.#pacer?.hasLearned !== true)) return;
    this.#pacer ??= new StartPacer(undefined, now);
    this.#pacer.paused(pausedUntil - now, Math.max(1, now - this.#busySince), this.#accepted);
    this.#pace.limitTo(this.#pacer);
  }

  /** Applies the limits of the current version. A pacer goes on while its limit is the same, without what it has learned. */
  #applyLimits(since: number): void {
    const { inFlight = Number.POSITIVE_INFINITY, perMinute } = this.#webhook.limits ?? {};
    this.#maxInFlight = Math.min(inFlight, this.#policy.maxInFlight);
    if (perMinute !== undefined && perMinute === this.#pacer?.perMinute) this.#pacer.forget();
    else this.#pacer = perMinute === undefined ? undefined : new StartPacer(perMinute, since);
    this.#pace.limitTo(this.#pacer);
  }
}

/** Returns one endpoint's share: its own limit times the part of the capacity that others leave, and at least one. */
function shareOf({ free, size, ofOthers }: SharedCapacity, most: number): number {
  if (free <= 0) return 0;
  return Math.max(1, Math.ceil((most * (size - ofOthers)) / size));
}
