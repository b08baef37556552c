/**
 * The guess before any certificate was planned. It is high, because deliveries that were not expected overflow the
 * waiting rooms.
 */
const firstGuess = 8;
/** The share of the latest certificate in the mean: about the last 16 certificates decide. */
const weight = 1 / 16;

/** Predicts how many deliveries the certificates that are being planned will become, from the mean of earlier ones. */
export class Forecast {
  #certificates = 0;
  #each = firstGuess;

  get deliveries(): number {
    return this.#certificates * this.#each;
  }

  /** Counts a certificate whose webhooks are being looked up. Each call is followed by one of `looked`. */
  looking(): void {
    this.#certificates += 1;
  }

  /**
   * Learns how many deliveries a certificate became. Learns nothing from `undefined`: planning was abandoned or failed.
   */
  looked(deliveries: number | undefined): void {
    this.#certificates -= 1;
    if (deliveries !== undefined) this.#each += (deliveries - this.#each) * weight;
  }
}
