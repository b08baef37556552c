import { Queue } from '../../lib/queue.ts';
import type { Pool } from '../delivery.ts';
import type { Capacity, Gate, SharedCapacity, EndpointHealth } from './gate.ts';

/** A request that has been out for as long as this may never come back. */
const lateAfterMs = 1000;

/** What endpoints that are late, or have failed last, may have of the requests at once, all together. */
const suspectPartOfRequests = 1 / 4;

/** What those of them that hang may have: each request takes a connection, and is held for seconds for nothing. */
const unresponsivePartOfRequests = 1 / 16;

/** What endpoints that are late, or have failed last, may fill of all waiting rooms together. */
const suspectPartOfRooms = 3 / 4;

/** How often what waits is counted: many gates are looked at for it. */
const countEveryMs = 20;

const healthStates = ['healthy', 'suspect', 'unresponsive'] as const satisfies readonly EndpointHealth[];
const healthyOnly = ['healthy'] as const satisfies readonly EndpointHealth[];

/** One request that is out. */
interface CountedRequest {
  readonly gate: Gate;
  readonly startedAt: number;
  /** Against whose part of the capacity it counts. */
  health: EndpointHealth;
  ended: boolean;
}

/** Capacity for one kind of attempt, and the gates that wait for it in turn. */
export class SharedPool {
  /** Requests at once. */
  readonly size: number;
  waiting = 0;
  draining = false;
  readonly #maxWaiting: number;
  #roomSize: number;
  readonly #capacityQueue = new Queue<Gate>();
  readonly #queuedForCapacity = new Set<Gate>();
  /** In the order in which they went out; those that are over or late already are gone. */
  readonly #flights = new Queue<CountedRequest>();
  /** Requests that are out. */
  readonly #inFlightByHealth: Record<EndpointHealth, number> = { healthy: 0, suspect: 0, unresponsive: 0 };
  /** Gates with somebody waiting whose share of the capacity was used up when it was their turn. */
  readonly #heldBack: Readonly<Record<EndpointHealth, Set<Gate>>> = {
    healthy: new Set(),
    suspect: new Set(),
    unresponsive: new Set(),
  };
  #waitingForHealthy = 0;
  /** When that was counted, those of others included. */
  #waitingThen = 0;
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

  /** So many that come one after the other and hang, each with as much to do as it may have out, leave something. */
  get reserved(): number {
    return this.size / 4;
  }

  /**
   * What there is for this gate. Endpoints that are late, or have failed last, have a part of it together, and those that hang
   * a part of that: what hangs must leave the rest to what does not, and each request to it costs a connection.
   */
  capacityFor(gate: Gate, now: number): SharedCapacity {
    this.#findLate(now);
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

  /** A request of this gate goes out. */
  start(gate: Gate, now: number): CountedRequest {
    const flight: CountedRequest = { gate, startedAt: now, health: gate.health, ended: false };
    this.#count(flight, 1);
    this.#flights.push(flight);
    return flight;
  }

  end(flight: CountedRequest): void {
    flight.ended = true;
    this.#count(flight, -1);
  }

  /** Of those that wait, the ones whose endpoints answer, as far as it is known; all that came since the last look do. */
  waitingForHealthy(pool: Pool, now: number): number {
    if (now >= this.#countedAt + countEveryMs) {
      this.#countedAt = now;
      // Whoever has somebody waiting is in one of the two, or held back in doubt.
      const healthy = [...this.#queuedForCapacity, ...this.#heldBack.healthy].filter((gate) => !gate.isSuspect);
      this.#waitingForHealthy = healthy.reduce((sum, gate) => sum + gate.waitingIn(pool), 0);
      this.#waitingThen = this.waiting;
    }
    return this.#waitingForHealthy + Math.max(0, this.waiting - this.#waitingThen);
  }

  /** What all waiting rooms hold together. */
  get room(): Capacity {
    return { free: this.#roomSize - this.waiting, size: this.#roomSize };
  }

  /** The same for this gate: what hangs must leave some of it to what does not, whose few would go through a tier else. */
  roomFor(gate: Gate, pool: Pool, now: number): Capacity {
    if (!gate.isSuspect) return this.room;
    const size = Math.ceil(this.#roomSize * suspectPartOfRooms);
    const held = this.waiting - this.waitingForHealthy(pool, now);
    return { free: Math.min(this.room.free, size - held), size };
  }

  /** Only this part of the room is used from now on. Who waits already stays. */
  shrinkRoomTo(part: number): void {
    this.#roomSize = Math.ceil(this.#maxWaiting * part);
  }

  /** Puts a gate that has somebody waiting at the end of the line, unless it stands there. */
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

  /** It was its turn, and it has its share. */
  holdBack(gate: Gate): void {
    this.#heldBack[gate.health].add(gate);
  }

  /**
   * Shares grow as this one's capacity comes back: one of those held back has a turn again. All of them would be a long
   * look, and what an endpoint that is well gives back is nothing for those in doubt.
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

  /** A part of the whole, without what others have of it. One's own is one's own: alone, each has its full share. */
  #part(part: number, ofOthers: number): SharedCapacity {
    const size = Math.ceil(this.size * part);
    return { free: Math.min(this.free, size - ofOthers), size, reserved: 0 };
  }

  #findLate(now: number): void {
    for (let first = this.#flights.peek(); first !== undefined; first = this.#flights.peek()) {
      if (!first.ended && now - first.startedAt < lateAfterMs) return;
      this.#flights.shift();
      if (!first.ended && first.health === 'healthy') this.#markSuspect(first);
    }
  }

  #markSuspect(flight: CountedRequest): void {
    this.#count(flight, -1);
    flight.health = 'suspect';
    this.#count(flight, 1);
  }

  #count({ gate, health }: CountedRequest, change: 1 | -1): void {
    this.#inFlightByHealth[health] += change;
    gate.count(health, change);
  }
}
