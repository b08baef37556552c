import type { ProcessClock } from '../time/process-clock.ts';

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
