/** What we do about an outcome: a decision. Tiers count from zero, as in `RETRY_DELAYS`. */
export type Settlement =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly tier: number; readonly dueAt: number }
  /** No attempt is counted; `deferrals` is the delivery's count from now on. */
  | { readonly kind: 'defer'; readonly tier: number; readonly dueAt: number; readonly deferrals: number }
  | { readonly kind: 'dead'; readonly reason: DeliveryDeadReason };

/** Why a delivery ends in the dead-letter topic. */
export const deliveryDeadReasons = ['exhausted', 'expired', 'too_large'] as const;
export type DeliveryDeadReason = (typeof deliveryDeadReasons)[number];

/** Why a record, rather than a delivery, ends there. */
export const recordDeadReasons = ['undecodable', 'invalid_record', 'internal_error'] as const;
export type RecordDeadReason = (typeof recordDeadReasons)[number];

export type DeadReason = DeliveryDeadReason | RecordDeadReason;
