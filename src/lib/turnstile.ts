import type { Clock } from './clock.ts';
import { Queue } from './queue.ts';

/** Those who pass take a part of it; the rest is for everything else. */
const everyMs = 4;

/** Lets so many pass at a time, in order, and the next ones a moment later: what comes all at once holds up nobody else. */
export class Turnstile {
  readonly #atATime: number;
  readonly #clock: Clock;
  readonly #waiting = new Queue<() => void>();
  #passed = 0;

  constructor(atATime: number, clock: Clock) {
    this.#atATime = atATime;
    this.#clock = clock;
  }

  /** Undefined for who passes at once; else resolves when it is the caller's turn. */
  pass(): Promise<void> | undefined {
    if (this.#passed < this.#atATime) {
      this.#count();
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #count(): void {
    this.#passed += 1;
    if (this.#passed === 1) this.#clock.after(everyMs, () => this.#goOn());
  }

  #goOn(): void {
    this.#passed = 0;
    while (this.#waiting.length > 0 && this.#passed < this.#atATime) {
      this.#count();
      this.#waiting.shift()?.();
    }
  }
}
