export const eventTypes = ['certificate_completed', 'certificate_expired'] as const;
export type EventType = (typeof eventTypes)[number];

export interface Certificate {
  readonly id: string;
  readonly userId: string;
  readonly ownerId: string;
  readonly eventType: EventType;
  /** The exact bytes that subscribers receive. */
  readonly body: Buffer;
  readonly missingFields: readonly string[];
}

/** The reason why a record did not become a certificate. The message contains no value of the record. */
export interface Rejection {
  readonly reason: 'undecodable' | 'invalid_record' | 'too_large';
  readonly message: string;
}

export type IgnoredReason = 'null_value' | 'other_event';

export type Decoded =
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'ignored'; readonly why: IgnoredReason }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };
