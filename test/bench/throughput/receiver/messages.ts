/** Commands to the receiver. Each has its event. */
export type Command =
  /** Forgets everything, closes all connections, and accepts requests. */
  | ({ readonly kind: 'prepare' } & Preparation)
  /** Sets the status of all responses. `prepare` sets it to 200 again. */
  | { readonly kind: 'respond-with'; readonly status: Status }
  /** Returns the accepted requests since the last preparation. */
  | { readonly kind: 'report' };

export type Status = '200' | '503';

export interface Preparation {
  /** Time from the last byte of a request to the response. */
  readonly answerAfterMs: number;
  /** Numbers of accepted requests after which an event is sent. */
  readonly milestones: readonly number[];
}

/** Events of the receiver. */
export type Event =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'status-set' }
  | { readonly kind: 'reached'; readonly milestone: number; readonly counts: Counts }
  | { readonly kind: 'reported'; readonly arrivals: readonly Arrival[] };

/** Counts since the last preparation. */
export interface Counts {
  /** Requests that got a 200. */
  readonly requests: number;
  readonly rejected: number;
  readonly connections: number;
  /** Connections to an endpoint that had one before. */
  readonly reconnections: number;
  /** Connections that resumed a TLS session. */
  readonly resumed: number;
  /** The time, as `machineTimeMs`. */
  readonly at: number;
  /** CPU time of the receiver since its start. */
  readonly cpuSeconds: number;
}

/** An accepted request. Times are `machineTimeMs`; the certificate's id holds when it was to be written. */
export interface Arrival {
  readonly writtenAt: number;
  readonly answeredAt: number;
}
