/** Parent to receiver; each is answered. */
export type Order =
  /** Forgets what came before, closes all connections, and does this from now on. */
  | ({ readonly kind: 'prepare' } & Preparation)
  /** From now on it refuses every request, or accepts them again, as it does once it was prepared. */
  | { readonly kind: 'turn'; readonly to: 'refuse' | 'accept' }
  /** Tells what has come since it was prepared. */
  | { readonly kind: 'tell' };

export interface Preparation {
  /** From the last byte of a request to the answer. */
  readonly answerAfterMs: number;
  /** Tells when so many requests have come. */
  readonly milestones: readonly number[];
}

/** Receiver to parent. */
export type News =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'turned' }
  | { readonly kind: 'reached'; readonly milestone: number; readonly counts: Counts }
  | { readonly kind: 'told'; readonly arrivals: readonly Arrival[] };

/** What has come since the receiver was prepared. */
export interface Counts {
  /** Those that were accepted. */
  readonly requests: number;
  readonly refused: number;
  readonly connections: number;
  /** Of the connections, those to an endpoint that had one before. */
  readonly again: number;
  /** Of the connections, those whose TLS session was resumed. */
  readonly resumed: number;
  /** Milliseconds of the machine's own clock. */
  readonly at: number;
  /** Of the receiver, since it was started. */
  readonly cpuSeconds: number;
}

/** A request that was accepted, and whose certificate says when it was to be written. Milliseconds of the machine's own clock. */
export interface Arrival {
  readonly writtenAt: number;
  readonly answeredAt: number;
}
