import { Queue } from '../../lib/queue.ts';
import type { Pool } from '../delivery.ts';
import type { Capacity, Gate, SharedCapacity, Standing } from './gate.ts';

/** A request that has been out for as long as this may never come back. */
const lateAfterMs = 1000;

/** What endpoints that are late, or have failed last, may have of the requests at once, all together. */
const doubtfulPartOfRequests = 1 / 4;

/** What those of them that hang may have: each request takes a connection, and is held for seconds for nothing. */
const hangingPartOfRequests = 1 / 16;

/** What endpoints that are late, or have failed last, may fill of all waiting rooms together. */
const doubtfulPartOfRooms = 3 / 4;

/** How often what waits is counted: many gates are looked at for it. */
const countEveryMs = 20;

const standings = ['well', 'doubtful', 'hanging'] as const satisfies readonly Standing[];
const wellAlone = ['well'] as const satisfies readonly Standing[];

/** One request that is out. */
export interface Flight {
  readonly gate: Gate;
  readonly startedAt: number;
  /** Against whose part of the capacity it counts. */
  standing: Standing;
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
  /** Requests that are out. */
  readonly #out: Record<Standing, number> = { well: 0, doubtful: 0, hanging: 0 };
  /** Gates with somebody waiting whose share of the capacity was used up when it was their turn. */
  readonly #heldBack: Readonly<Record<Standing, Set<Gate>>> = {
    well: new Set(),
    doubtful: new Set(),
    hanging: new Set(),
  };
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
    return this.#out.well + this.#outInDoubt;
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
    const { standing } = gate;
    if (standing === 'well') return this;
    const inDoubt = this.#part(doubtfulPartOfRequests, this.#outInDoubt - gate.outInDoubt);
    if (standing === 'doubtful') return inDoubt;
    const hanging = this.#part(hangingPartOfRequests, this.#out.hanging - gate.outHanging);
    return { ...hanging, free: Math.min(hanging.free, inDoubt.free) };
  }

  /** A request of this gate goes out. */
  start(gate: Gate, now: number): Flight {
    const flight: Flight = { gate, startedAt: now, standing: gate.standing, isOver: false };
    this.#count(flight, 1);
    this.#flights.push(flight);
    return flight;
  }

  end(flight: Flight): void {
    flight.isOver = true;
    this.#count(flight, -1);
  }

  /** Of those that wait, the ones whose endpoints answer, as far as it is known; all that came since the last look do. */
  waitingForWell(pool: Pool, now: number): number {
    if (now >= this.#countedAt + countEveryMs) {
      this.#countedAt = now;
      // Whoever has somebody waiting is in one of the two, or held back in doubt.
      const well = [...this.#lined, ...this.#heldBack.well].filter((gate) => !gate.isDoubtful);
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
    for (const standing of standings) this.#heldBack[standing].delete(gate);
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
    this.#heldBack[gate.standing].add(gate);
  }

  /**
   * Shares grow as this one's capacity comes back: one of those held back has a turn again. All of them would be a long
   * look, and what an endpoint that is well gives back is nothing for those in doubt.
   */
  recall(pool: Pool, { standing }: Flight): void {
    for (const held of standing === 'well' ? wellAlone : standings) {
      const [gate] = this.#heldBack[held];
      if (gate !== undefined) this.line(gate, pool);
    }
  }

  get #outInDoubt(): number {
    return this.#out.doubtful + this.#out.hanging;
  }

  /** A part of the whole, without what others have of it. One's own is one's own: alone, each has its full share. */
  #part(part: number, ofOthers: number): SharedCapacity {
    const size = Math.ceil(this.size * part);
    return { free: Math.min(this.free, size - ofOthers), size, reserved: 0 };
  }

  #findLate(now: number): void {
    for (let first = this.#flights.peek(); first !== undefined; first = this.#flights.peek()) {
      if (!first.isOver && now - first.startedAt < lateAfterMs) return;
      this.#flights.shift();
      if (!first.isOver && first.standing === 'well') this.#doubt(first);
    }
  }

  #doubt(flight: Flight): void {
    this.#count(flight, -1);
    flight.standing = 'doubtful';
    this.#count(flight, 1);
  }

  #count({ gate, standing }: Flight, change: 1 | -1): void {
    this.#out[standing] += change;
    gate.count(standing, change);
  }
}
