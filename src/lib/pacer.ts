import type { Clock } from './clock.ts';
import { Queue } from './queue.ts';

const everyMs = 4;
/** Of those who wait, this part passes at a time, and one at least: hundreds have passed within a second. */
const part = 1 / 64;

/** Lets those who come together pass one by one, a moment apart: what comes all at once holds up nobody else. */
export class Pacer {
  readonly #mostAtATime: number;
  readonly #clock: Clock;
  readonly #waiting = new Queue<() => void>();
  #isFree = true;

  /** When hundreds wait, more of them pass at a time, up to so many. */
  constructor(mostAtATime: number, clock: Clock) {
    this.#mostAtATime = mostAtATime;
    this.#clock = clock;
  }

  /** Undefined for who passes at once; else resolves when it is the caller's turn, in the order of the calls. */
  pass(): Promise<void> | undefined {
    if (!this.#isFree) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#rest();
    return undefined;
  }

  #rest(): void {
    this.#isFree = false;
    this.#clock.after(everyMs, () => this.#goOn());
  }

  #goOn(): void {
    this.#isFree = this.#waiting.length === 0;
    if (this.#isFree) return;
    this.#rest();
    const passing = Math.min(Math.ceil(this.#waiting.length * part), this.#mostAtATime);
    for (let passed = 0; passed < passing; passed += 1) this.#waiting.shift()?.();
  }
}
