/** Before anything is known. Too many is the better guess: what is too few is put right a moment later. */
const firstGuess = 8;
/** How much the latest certificate weighs in the mean. */
const weight = 1 / 16;

/** How many deliveries are about to come of certificates whose webhooks are being looked up, by what came of the last. */
export class Forecast {
  #certificates = 0;
  #each = firstGuess;

  get deliveries(): number {
    return this.#certificates * this.#each;
  }

  /** A certificate is looked up; `looked` must follow. */
  looking(): void {
    this.#certificates += 1;
  }

  /** It came to so many deliveries. Undefined: to none for a reason that says nothing about others. */
  looked(deliveries: number | undefined): void {
    this.#certificates -= 1;
    if (deliveries !== undefined) this.#each += (deliveries - this.#each) * weight;
  }
}
