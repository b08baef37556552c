import type { MonotonicClock } from '../lib/clock.ts';
import { Queue } from '../lib/queue.ts';

/** Work that starts in small steps. */
export interface Starter {
  /** Starts one delivery. Returns false if there is none, or none may start now. */
  startNext(): boolean;
}

/**
 * Limits how many deliveries start in one turn of the event loop, over all partitions of both pools.
 *
 * A step is taken at once while the turn has steps left and nobody waits. Otherwise the starter waits in the queue.
 *
 * Promises:
 * - At most `perTurn` steps between two turns of the clock. The count starts again only in a turn of its own.
 * - Starters take turns, so a record for 10,000 webhooks delays another partition's certificate by one round.
 * - A starter that cannot start leaves the queue. It must call `start` again once it can.
 */
export class StartTurns {
  readonly #perTurn: number;
  readonly #clock: MonotonicClock;
  readonly #queue = new Queue<Starter>();
  readonly #queued = new Set<Starter>();
  readonly #afterStarts: (() => void)[] = [];
  #left: number;
  #isScheduled = false;
  #isStepping = false;

  constructor(perTurn: number, clock: MonotonicClock) {
    this.#perTurn = perTurn;
    this.#clock = clock;
    this.#left = perTurn;
  }

  /** Starts as much as the starter can, now and in later turns. */
  start(starter: Starter): void {
    // A start may call this again, for example because the delivery waits for a suspect endpoint.
    if (this.#isStepping || this.#queue.length > 0) return this.#enqueue(starter);
    let hasStarted = true;
    while (hasStarted && this.#left > 0) hasStarted = this.#step(starter);
    if (hasStarted) this.#enqueue(starter);
  }

  /** Calls `run` in the next turn, after the starts of that turn. */
  afterNextStarts(run: () => void): void {
    this.#afterStarts.push(run);
    this.#schedule();
  }

  #step(starter: Starter): boolean {
    this.#isStepping = true;
    try {
      const hasStarted = starter.startNext();
      if (hasStarted) this.#left -= 1;
      return hasStarted;
    } finally {
      this.#isStepping = false;
    }
  }

  #enqueue(starter: Starter): void {
    if (this.#queued.has(starter)) return;
    this.#queued.add(starter);
    this.#queue.push(starter);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.after(0, () => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#left = this.#perTurn;
    for (let starter = this.#next(); starter !== undefined; starter = this.#next()) {
      if (this.#step(starter)) this.#enqueue(starter);
    }
    for (const run of this.#afterStarts.splice(0)) run();
  }

  /** Removes and returns the starter whose turn it is; undefined when nothing more may start in this turn. */
  #next(): Starter | undefined {
    const next = this.#left > 0 ? this.#queue.shift() : undefined;
    if (next !== undefined) this.#queued.delete(next);
    return next;
  }
}
