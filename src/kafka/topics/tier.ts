/** A retry topic with one delay. */
export interface Tier {
  readonly topic: string;
  /** The delay as written in the topic's name, e.g. `10m`. */
  readonly label: string;
  readonly delayMs: number;
}
