export interface Load {
  /** Median delay of the event loop in ms. A median, because a single long turn is no overload. */
  readonly delayMs: number;
  /** The part of the memory in use, from 0 to 1. */
  readonly memory: number;
}

/** Above one of these, the intake is halved. */
const pressure: Load = { delayMs: 100, memory: 0.85 };
/** Below both of these, the intake grows again. They are lower than `pressure`, so that it does not oscillate. */
const calm: Load = { delayMs: 50, memory: 0.75 };

/** The lowest fraction. Below it, a few endpoints that hang would fill the limits, although they need no processor time. */
const smallestFraction = 1 / 8;
/** The growth of the fraction at a calm reading. */
const step = 1 / 8;

/**
 * Decides which fraction of the intake limits holds. Each reading under pressure halves it, and each calm reading adds
 * an eighth. Records that are not taken in wait in Kafka, where they delay no others.
 */
export class Throttle {
  #fraction = 1;

  /** Returns the fraction that holds from now on. */
  update({ delayMs, memory }: Load): number {
    if (delayMs > pressure.delayMs || memory > pressure.memory)
      this.#fraction = Math.max(smallestFraction, this.#fraction / 2);
    else if (delayMs < calm.delayMs && memory < calm.memory) this.#fraction = Math.min(1, this.#fraction + step);
    return this.#fraction;
  }
}
