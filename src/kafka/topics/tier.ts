/** A retry topic with one delay. */
export interface Tier {
  readonly topic: string;
  /** The delay as the topic is named, e.g. `10m`. */
  readonly label: string;
  readonly delayMs: number;
}
