/** Commands to the receiver. Each has its event. */
export type Command =
  /** These endpoints fail from now on, and all others respond. */
  | { readonly kind: 'set-fault'; readonly noHandshake: readonly number[]; readonly noResponse: readonly number[] }
  /** Returns the requests since the last time, and forgets them. */
  | { readonly kind: 'collect' };

/** Events of the receiver. */
export type Event =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'fault-set' }
  | { readonly kind: 'collected'; readonly arrivals: readonly Arrival[] };

/** A request that got a 2xx. Times are `machineTimeMs`. */
export interface Arrival {
  readonly endpoint: number;
  readonly writtenAt: number;
  /** The time of the last byte of the request. */
  readonly receivedAt: number;
  readonly answeredAt: number;
}

/** The parameters of the process, as JSON. */
export interface Setup {
  readonly endpoints: number;
  /** Time from the last byte of a request to the response. */
  readonly answerAfterMs: number;
}
