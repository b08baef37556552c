/** The behaviour of one endpoint. With `fail_first` it answers 503 to the first request of each delivery, and 200 to all others. */
export type Behaviour = 'healthy' | 'error' | 'fail_first';

/** A message from the parent to the receiver process. The receiver confirms each one by its number. */
export type Command =
  | { readonly kind: 'behave'; readonly number: number; readonly port: number; readonly behaviour: Behaviour }
  | { readonly kind: 'report'; readonly number: number };

/**
 * A message from the receiver process to the parent. All requests received before a confirmation are sent before it.
 */
export type ReceiverMessage =
  | { readonly kind: 'listening' }
  | { readonly kind: 'confirmed'; readonly number: number }
  | { readonly kind: 'received'; readonly requests: readonly ReceivedRequest[] };

/** A request that was received completely. It is reported once its response was sent. */
export interface ReceivedRequest {
  readonly deliveryId: string;
  readonly certificateId: string;
  /** Epoch milliseconds of the response. */
  readonly at: number;
  /** True if a 2xx head was sent. */
  readonly accepted: boolean;
}

/** The argument of the receiver process, as JSON. */
export interface ReceiverSetup {
  readonly certificate: string;
  readonly key: string;
  readonly ports: readonly number[];
  /** The time from the last byte of a request to its response. */
  readonly respondAfterMs: number;
}

export const deliveryIdHeader = 'x-delivery-id';
