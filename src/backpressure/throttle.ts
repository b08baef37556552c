/** How busy the process is. */
export interface Load {
  /** By how much its event loop was late lately, in the median: one long turn says nothing. */
  readonly delayMs: number;
  /** The part of its memory that is in use. */
  readonly memory: number;
}

const pressure: Load = { delayMs: 100, memory: 0.85 };
const calm: Load = { delayMs: 50, memory: 0.75 };

/** Less would stop healthy endpoints once some that hang have filled it: those need no processor. */
const leastPart = 1 / 8;
const step = 1 / 8;

/**
 * How much of the intake a process can cope with: half as much each time that it is under pressure, and a little more
 * each time that it is not. What it does not take in waits in Kafka, where it is in nobody's way.
 */
export class Throttle {
  #part = 1;

  /** The part of the limits that holds from now on. */
  look({ delayMs, memory }: Load): number {
    if (delayMs > pressure.delayMs || memory > pressure.memory) this.#part = Math.max(leastPart, this.#part / 2);
    else if (delayMs < calm.delayMs && memory < calm.memory) this.#part = Math.min(1, this.#part + step);
    return this.#part;
  }
}
