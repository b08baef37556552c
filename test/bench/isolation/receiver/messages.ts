/** Parent to receiver; each is answered. */
export type Order =
  /** From now on these endpoints, by number, take connections and say nothing; the others are well. */
  | { readonly kind: 'behave'; readonly silent: readonly number[]; readonly mute: readonly number[] }
  /** Tells what has come since the last time, and forgets it. */
  | { readonly kind: 'collect' };

/** Receiver to parent. */
export type News =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'behaves' }
  | { readonly kind: 'collected'; readonly arrivals: readonly Arrival[] };

/** A request that was answered with a 2xx. Times are in milliseconds of the machine's own clock. */
export interface Arrival {
  readonly endpoint: number;
  readonly writtenAt: number;
  /** When the last byte of the request had come, and when the answer went out. */
  readonly receivedAt: number;
  readonly answeredAt: number;
}

/** What the process is started with, as JSON. */
export interface Setup {
  readonly endpoints: number;
  /** From the last byte of a request to the answer. */
  readonly answerAfterMs: number;
}
