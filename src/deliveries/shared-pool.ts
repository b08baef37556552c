import { Queue } from '../lib/queue.ts';
import type { Pool } from './delivery.ts';
import type { Capacity, Gate, SharedCapacity } from './gate.ts';

/** A request that has been out for as long as this may never come back. */
const lateAfterMs = 1000;

/** What endpoints that are late, or have failed last, may have of the requests at once, all together. */
const doubtfulPartOfRequests = 1 / 4;

/** What endpoints that are late, or have failed last, may fill of all waiting rooms together. */
const doubtfulPartOfRooms = 3 / 4;

/** How often what waits is counted: many gates are looked at for it. */
const countEveryMs = 20;

/** One request that is out. */
export interface Flight {
  readonly gate: Gate;
  readonly startedAt: number;
  /** Whether it counts against the part of the capacity that doubtful endpoints may have. */
  isDoubtful: boolean;
  isOver: boolean;
}

/** Capacity for one kind of attempt, and the gates that wait for it in turn. */
export class SharedPool {
  /** Requests at once. */
  readonly size: number;
  waiting = 0;
  draining = false;
  readonly #maxWaiting: number;
  #roomSize: number;
  readonly #line = new Queue<Gate>();
  readonly #lined = new Set<Gate>();
  /** In the order in which they went out; those that are over or late already are gone. */
  readonly #flights = new Queue<Flight>();
  #inFlight = 0;
  #doubtful = 0;
  /** Gates with somebody waiting whose share of the capacity was used up when it was their turn; those in doubt apart. */
  readonly #heldBack = new Set<Gate>();
  readonly #heldBackInDoubt = new Set<Gate>();
  #waitingForWell = 0;
  /** When that was counted, those of others included. */
  #waitingThen = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor({ inFlight, waiting }: { readonly inFlight: number; readonly waiting: number }) {
    this.size = inFlight;
    this.#maxWaiting = waiting;
    this.#roomSize = waiting;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get free(): number {
    return this.size - this.#inFlight;
  }

  /** So many that come one after the other and hang, each with as much to do as it may have out, leave something. */
  get reserved(): number {
    return this.size / 4;
  }

  /**
   * What there is for this gate. Endpoints that are late, or have failed last, have a part of it together: what hangs
   * must leave the rest to what does not, and each request to it costs a connection.
   */
  capacityFor(gate: Gate, now: number): SharedCapacity {
    this.#findLate(now);
    if (!gate.isDoubtful) return this;
    const size = Math.ceil(this.size * doubtfulPartOfRequests);
    // Its own are its own: alone, it has its full share.
    return { free: Math.min(this.free, size - this.#doubtful + gate.inDoubt), size, reserved: 0 };
  }

  /** A request of this gate goes out. */
  start(gate: Gate, now: number): Flight {
    const flight: Flight = { gate, startedAt: now, isDoubtful: false, isOver: false };
    this.#inFlight += 1;
    if (gate.isDoubtful) this.#doubt(flight);
    this.#flights.push(flight);
    return flight;
  }

  end(flight: Flight): void {
    flight.isOver = true;
    this.#inFlight -= 1;
    if (!flight.isDoubtful) return;
    this.#doubtful -= 1;
    flight.gate.endDoubt();
  }

  /** Of those that wait, the ones whose endpoints answer, as far as it is known; all that came since the last look do. */
  waitingForWell(pool: Pool, now: number): number {
    if (now >= this.#countedAt + countEveryMs) {
      this.#countedAt = now;
      // Whoever has somebody waiting is in one of the two, or held back in doubt.
      const well = [...this.#lined, ...this.#heldBack].filter((gate) => !gate.isDoubtful);
      this.#waitingForWell = well.reduce((sum, gate) => sum + gate.waitingIn(pool), 0);
      this.#waitingThen = this.waiting;
    }
    return this.#waitingForWell + Math.max(0, this.waiting - this.#waitingThen);
  }

  /** What all waiting rooms hold together. */
  get room(): Capacity {
    return { free: this.#roomSize - this.waiting, size: this.#roomSize };
  }

  /** The same for this gate: what hangs must leave some of it to what does not, whose few would go through a tier else. */
  roomFor(gate: Gate, pool: Pool, now: number): Capacity {
    if (!gate.isDoubtful) return this.room;
    const size = Math.ceil(this.#roomSize * doubtfulPartOfRooms);
    const held = this.waiting - this.waitingForWell(pool, now);
    return { free: Math.min(this.room.free, size - held), size };
  }

  /** Only this part of the room is used from now on. Who waits already stays. */
  shrinkRoomTo(part: number): void {
    this.#roomSize = Math.ceil(this.#maxWaiting * part);
  }

  /** Puts a gate that has somebody waiting at the end of the line, unless it stands there. */
  line(gate: Gate, pool: Pool): void {
    this.#heldBack.delete(gate);
    this.#heldBackInDoubt.delete(gate);
    if (!gate.hasWaiting(pool) || this.#lined.has(gate)) return;
    this.#lined.add(gate);
    this.#line.push(gate);
  }

  nextGate(): Gate | undefined {
    const gate = this.#line.shift();
    if (gate !== undefined) this.#lined.delete(gate);
    return gate;
  }

  /** It was its turn, and it has its share. */
  holdBack(gate: Gate): void {
    const heldBack = gate.isDoubtful ? this.#heldBackInDoubt : this.#heldBack;
    heldBack.add(gate);
  }

  /**
   * Shares grow as this one's capacity comes back: one of those held back has a turn again. All of them would be a long
   * look, and what an endpoint that is well gives back is nothing for those in doubt.
   */
  recall(pool: Pool, { isDoubtful }: Flight): void {
    const [gate] = this.#heldBack;
    if (gate !== undefined) this.line(gate, pool);
    const [inDoubt] = this.#heldBackInDoubt;
    if (isDoubtful && inDoubt !== undefined) this.line(inDoubt, pool);
  }

  #findLate(now: number): void {
    for (let first = this.#flights.peek(); first !== undefined; first = this.#flights.peek()) {
      if (!first.isOver && now - first.startedAt < lateAfterMs) return;
      this.#flights.shift();
      if (!first.isOver && !first.isDoubtful) this.#doubt(first);
    }
  }

  #doubt(flight: Flight): void {
    flight.isDoubtful = true;
    this.#doubtful += 1;
    flight.gate.doubt();
  }
}
