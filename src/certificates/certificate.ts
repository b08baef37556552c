export const eventTypes = ['certificate_completed', 'certificate_expired'] as const;
export type EventType = (typeof eventTypes)[number];

/** A record decoded and validated. */
export interface Certificate {
  readonly id: string;
  readonly userId: string;
  readonly ownerId: string;
  readonly eventType: EventType;
  /** What subscribers receive, byte for byte. */
  readonly body: Buffer;
  /** Fields the contract lists and this record lacks. */
  readonly missingFields: readonly string[];
}

/** Why a record never became a certificate. The message holds no value of the record. */
export interface Rejection {
  readonly reason: 'undecodable' | 'invalid_record';
  readonly message: string;
}

export type Decoded =
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'ignored'; readonly why: 'null_value' | 'other_event' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };
