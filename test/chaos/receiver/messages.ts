/** How the server behind one port behaves. Those up to `hang_in_tls` never come to a request. */
export type Behaviour =
  | 'healthy'
  | 'refuse'
  | 'hang_before_tls'
  | 'hang_in_tls'
  | 'hang_before_head'
  | 'hang_in_head'
  | 'hang_in_body'
  | 'reset'
  | 'garbage'
  | 'error'
  /** Answers 503 to the first request of each delivery, and 200 to all others. */
  | 'fail_first';

/** Parent to receiver. Each is confirmed under its number, once it is done. */
export type Order =
  | { readonly kind: 'behave'; readonly number: number; readonly port: number; readonly behaviour: Behaviour }
  | { readonly kind: 'report'; readonly number: number };

/** Receiver to parent. A confirmation comes after all requests that were received before it. */
export type News =
  | { readonly kind: 'listening' }
  | { readonly kind: 'confirmed'; readonly number: number }
  | { readonly kind: 'received'; readonly requests: readonly Reception[] };

/** A request that was received whole, told once nothing is left to be done about it. */
export interface Reception {
  readonly deliveryId: string;
  readonly certificateId: string;
  /** Epoch milliseconds: when it was answered, or when it came if it gets no answer. */
  readonly at: number;
  /** Whether it was answered with a 2xx head. */
  readonly accepted: boolean;
}

/** What the process is started with, as JSON. */
export interface Setup {
  readonly certificate: string;
  readonly key: string;
  readonly ports: readonly number[];
  /** From the last byte of a request to the answer. */
  readonly answerAfterMs: number;
}

export const deliveryIdHeader = 'x-delivery-id';
