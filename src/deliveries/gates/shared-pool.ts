import { Queue } from '../../lib/queue.ts';
import type { Pool } from '../delivery.ts';
import type { Capacity, Gate, SharedCapacity, EndpointHealth } from './gate.ts';

/** A request in flight for longer than this is late: it may never be answered. */
const lateAfterMs = 1000;

/**
 * The part of the requests that suspect and unresponsive endpoints may have together. With a half, 200 black holes kept
 * 192 requests in flight, 19 new connections a second. A quarter lowered p99 of the others from about 10 to 8 ms.
 */
const suspectPartOfRequests = 1 / 4;

/**
 * The part of the requests that unresponsive endpoints may have, within the quarter above. With a quarter for both, 200
 * black holes opened 15 connections a second. Endpoints that fail with an answer waited behind them. An eighth was
 * mostly slower.
 */
const unresponsivePartOfRequests = 1 / 16;

/**
 * The part of all waiting places that suspect and unresponsive endpoints may fill. Without a limit, 200 endpoints that
 * hang held 4,963 of 5,000 places. Deliveries to healthy endpoints waited in the first tier for over a minute.
 */
const suspectPartOfRooms = 3 / 4;

/** The least time between two counts of the waiting deliveries. Each count visits all gates with waiting deliveries. */
const countEveryMs = 20;

const healthStates = ['healthy', 'suspect', 'unresponsive'] as const satisfies readonly EndpointHealth[];
const healthyOnly = ['healthy'] as const satisfies readonly EndpointHealth[];

/** One request in flight, as the pool counts it. */
interface CountedRequest {
  readonly gate: Gate;
  readonly startedAt: number;
  /**
   * The health of the endpoint when the request was sent; `suspect` once the request is late.
   */
  health: EndpointHealth;
  ended: boolean;
}

/**
 * Shares the capacity for one kind of attempt among all endpoints. Endpoints that hang or fail must leave enough for
 * the others. `Gates` owns one for first attempts and one for retries, and is the only caller.
 *
 * | endpoints    | requests in flight                                        | waiting places           |
 * | ------------ | --------------------------------------------------------- | ------------------------ |
 * | healthy      | all; the last quarter only with no request in flight       | all                      |
 * | suspect      | a quarter of all, shared with the unresponsive             | three quarters, together |
 * | unresponsive | a sixteenth of all, within that quarter                    |                          |
 *
 * An endpoint's own requests do not count against a part, so a slow endpoint that is alone has its full share.
 *
 * Gates with waiting deliveries take turns:
 *
 *     queueForCapacity ──▶ capacity queue ──▶ nextGate ──▶ a permit, then queueForCapacity again
 *             ▲                                  └───────▶ holdBack: its share is used up
 *             └───────── recall, when capacity comes back ────────┘
 *
 * - A gate is in the capacity queue at most once, or held back, or has no waiting delivery.
 * - A request of a healthy endpoint that ends recalls one healthy gate. Others recall one gate of each health.
 * - `start` and `end` keep the counts of the pool and of the gate in step.
 *
 * Removing one of these causes:
 * - `reserved`: a hundred endpoints that start to hang take all capacity, and healthy ones wait for `DELIVERY_TIMEOUT`.
 * - `recall`: a gate that was held back gets no turn when other endpoints free capacity.
 * - `#markLateRequests`: an endpoint that hangs counts as healthy until its first request times out.
 */
export class SharedPool {
  /** The limit of requests in flight. */
  readonly size: number;
  waiting = 0;
  draining = false;
  readonly #maxWaiting: number;
  #roomSize: number;
  readonly #capacityQueue = new Queue<Gate>();
  readonly #queuedForCapacity = new Set<Gate>();
  /** Requests in the order of sending. Those at the front that have ended or are marked as late are removed. */
  readonly #requests = new Queue<CountedRequest>();
  readonly #inFlightByHealth: Record<EndpointHealth, number> = { healthy: 0, suspect: 0, unresponsive: 0 };
  /** Gates with waiting deliveries whose share was used up when it was their turn. */
  readonly #heldBack: Readonly<Record<EndpointHealth, Set<Gate>>> = {
    healthy: new Set(),
    suspect: new Set(),
    unresponsive: new Set(),
  };
  /** The result of the latest count, and all waiting deliveries at that time. */
  #waitingForHealthy = 0;
  #waitingAtCount = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor({ inFlight, waiting }: { readonly inFlight: number; readonly waiting: number }) {
    this.size = inFlight;
    this.#maxWaiting = waiting;
    this.#roomSize = waiting;
  }

  get inFlight(): number {
    return this.#inFlightByHealth.healthy + this.#suspectInFlight;
  }

  get free(): number {
    return this.size - this.inFlight;
  }

  /** A quarter of the capacity is kept for endpoints with no request in flight. */
  get reserved(): number {
    return this.size / 4;
  }

  /** Returns the capacity that this gate may have a share of. */
  capacityFor(gate: Gate, now: number): SharedCapacity {
    this.#markLateRequests(now);
    const { health } = gate;
    if (health === 'healthy') return this;
    const suspect = this.#part(suspectPartOfRequests, this.#suspectInFlight - gate.suspectInFlight);
    if (health === 'suspect') return suspect;
    const unresponsive = this.#part(
      unresponsivePartOfRequests,
      this.#inFlightByHealth.unresponsive - gate.unresponsiveInFlight,
    );
    return { ...unresponsive, free: Math.min(unresponsive.free, suspect.free) };
  }

  /** Counts a request that is sent to the gate's endpoint. */
  start(gate: Gate, now: number): CountedRequest {
    const request: CountedRequest = { gate, startedAt: now, health: gate.health, ended: false };
    this.#count(request, 1);
    this.#requests.push(request);
    return request;
  }

  end(request: CountedRequest): void {
    request.ended = true;
    this.#count(request, -1);
  }

  /** Returns the deliveries waiting for healthy endpoints. Recounted every 20 ms; newer arrivals count as healthy. */
  waitingForHealthy(pool: Pool, now: number): number {
    if (now >= this.#countedAt + countEveryMs) {
      this.#countedAt = now;
      // A gate that was held back as suspect is counted again only when it is queued.
      const healthy = [...this.#queuedForCapacity, ...this.#heldBack.healthy].filter((gate) => !gate.isSuspect);
      this.#waitingForHealthy = healthy.reduce((sum, gate) => sum + gate.waitingIn(pool), 0);
      this.#waitingAtCount = this.waiting;
    }
    return this.#waitingForHealthy + Math.max(0, this.waiting - this.#waitingAtCount);
  }

  /** The waiting places of all rooms together. */
  get room(): Capacity {
    return { free: this.#roomSize - this.waiting, size: this.#roomSize };
  }

  /** Returns the waiting places that this gate may use. */
  roomFor(gate: Gate, pool: Pool, now: number): Capacity {
    if (!gate.isSuspect) return this.room;
    const size = Math.ceil(this.#roomSize * suspectPartOfRooms);
    const held = this.waiting - this.waitingForHealthy(pool, now);
    return { free: Math.min(this.room.free, size - held), size };
  }

  /** Limits the waiting places to this part of all. Deliveries that wait already may stay. */
  shrinkRoomTo(part: number): void {
    this.#roomSize = Math.ceil(this.#maxWaiting * part);
  }

  /** Puts a gate with waiting deliveries at the end of the capacity queue, unless it is in the queue. */
  queueForCapacity(gate: Gate, pool: Pool): void {
    for (const health of healthStates) this.#heldBack[health].delete(gate);
    if (!gate.hasWaiting(pool) || this.#queuedForCapacity.has(gate)) return;
    this.#queuedForCapacity.add(gate);
    this.#capacityQueue.push(gate);
  }

  nextGate(): Gate | undefined {
    const gate = this.#capacityQueue.shift();
    if (gate !== undefined) this.#queuedForCapacity.delete(gate);
    return gate;
  }

  /** Takes a gate out of the queue whose share is used up, until `recall` or `queueForCapacity`. */
  holdBack(gate: Gate): void {
    this.#heldBack[gate.health].add(gate);
  }

  /**
   * Queues gates that were held back, because a request has ended. Queues one gate of each health: visiting all is
   * slow. A request of a healthy endpoint frees nothing of the suspect endpoints' part.
   */
  recall(pool: Pool, { health }: CountedRequest): void {
    for (const held of health === 'healthy' ? healthyOnly : healthStates) {
      const [gate] = this.#heldBack[held];
      if (gate !== undefined) this.queueForCapacity(gate, pool);
    }
  }

  get #suspectInFlight(): number {
    return this.#inFlightByHealth.suspect + this.#inFlightByHealth.unresponsive;
  }

  /** Returns a part of the pool, less what the other endpoints have of that part. */
  #part(part: number, ofOthers: number): SharedCapacity {
    const size = Math.ceil(this.size * part);
    return { free: Math.min(this.free, size - ofOthers), size, reserved: 0 };
  }

  #markLateRequests(now: number): void {
    for (let first = this.#requests.peek(); first !== undefined; first = this.#requests.peek()) {
      if (!first.ended && now - first.startedAt < lateAfterMs) return;
      this.#requests.shift();
      if (!first.ended && first.health === 'healthy') this.#markSuspect(first);
    }
  }

  #markSuspect(request: CountedRequest): void {
    this.#count(request, -1);
    request.health = 'suspect';
    this.#count(request, 1);
  }

  #count({ gate, health }: CountedRequest, change: 1 | -1): void {
    this.#inFlightByHealth[health] += change;
    gate.count(health, change);
  }
}
