import { Random } from '../../simulation/random.ts';

/** Chance that can be repeated: the same seed throws the same numbers. */
export class Dice {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** At least `low`, below `high`. */
  between(low: number, high: number): number {
    return low + this.#random.next() * (high - low);
  }

  pick<T>(choices: readonly T[]): T {
    const [first, ...others] = choices;
    if (first === undefined) throw new Error('There is nothing to pick from.');
    return this.#random.pick([first, ...others]);
  }
}
