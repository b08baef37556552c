/** The decision that follows from an outcome. Tiers count from zero, in the order of `RETRY_DELAYS`. */
export type Settlement = { readonly kind: 'done' } | Unsettled;

/** The decision that something has to be written first. */
export type Unsettled =
  | { readonly kind: 'retry'; readonly tier: number; readonly dueAt: number }
  /** No attempt is counted; `deferrals` is the delivery's new count. */
  | { readonly kind: 'defer'; readonly tier: number; readonly dueAt: number; readonly deferrals: number }
  | { readonly kind: 'dead'; readonly reason: DeliveryDeadReason };

/** Reasons for which a delivery ends in the dead-letter topic. */
export const deliveryDeadReasons = ['exhausted', 'expired', 'too_large'] as const;
export type DeliveryDeadReason = (typeof deliveryDeadReasons)[number];

/** Reasons for which a record that became no delivery ends there. */
export const recordDeadReasons = ['undecodable', 'invalid_record', 'internal_error', 'too_large'] as const;
export type RecordDeadReason = (typeof recordDeadReasons)[number];

export type DeadReason = DeliveryDeadReason | RecordDeadReason;
export const deadReasons: readonly DeadReason[] = [...new Set([...deliveryDeadReasons, ...recordDeadReasons])];
