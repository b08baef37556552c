import type { ProcessClock } from '../time/process-clock.ts';

/**
 * The time in ms that one unit of work keeps the process busy. Rounded from CPU profiles of the service on one core. The
 * scenarios need work that takes time, or a burst would cost others nothing. They do not need exact times.
 */
const costsMs = {
  /** Planning a delivery, sending its request and handling the response. The service makes about 5,000 a second. */
  request: 0.2,
  /** Copying a record out of a fetch response and decoding it. */
  consumedRecord: 0.02,
  /** Encoding a retry or a dead letter. The broker client encodes a whole batch in one turn of the event loop. */
  writtenRecord: 0.05,
} as const;

/** The processor of one process: it makes the process busy for as long as its work takes. */
export class Processor {
  readonly #process: ProcessClock;
  readonly #turns: TurnCounter;

  constructor(process: ProcessClock) {
    this.#process = process;
    this.#turns = new TurnCounter(process);
  }

  /** The longest turn of the event loop. */
  get longestTurnMs(): number {
    return this.#turns.max;
  }

  /** Does some work. Returns the time at which it is done. */
  spend(work: keyof typeof costsMs, times = 1): number {
    return this.spendMs(costsMs[work] * times);
  }

  /** Does work that takes this long. Returns the time at which it is done. */
  spendMs(ms: number): number {
    this.#turns.add(ms);
    return this.#process.spend(ms);
  }
}

/** Adds up something in each turn of the event loop, and keeps the highest sum. */
export class TurnCounter {
  readonly #process: ProcessClock;
  #turn = 0;
  #sum = 0;
  #max = 0;

  constructor(process: ProcessClock) {
    this.#process = process;
  }

  get max(): number {
    return this.#max;
  }

  add(amount: number): void {
    if (this.#turn !== this.#process.turn) this.#sum = 0;
    this.#turn = this.#process.turn;
    this.#sum += amount;
    this.#max = Math.max(this.#max, this.#sum);
  }
}
