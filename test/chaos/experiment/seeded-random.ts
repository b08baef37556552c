import { Random } from '../../simulation/random.ts';

/** A random number generator that returns the same numbers for the same seed. */
export class SeededRandom {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** Returns a number of at least `low` and below `high`. */
  between(low: number, high: number): number {
    return low + this.#random.next() * (high - low);
  }

  /** Throws if there are no choices. */
  pick<T>(choices: readonly T[]): T {
    const [first, ...others] = choices;
    if (first === undefined) throw new Error('There is nothing to pick from.');
    return this.#random.pick([first, ...others]);
  }
}
