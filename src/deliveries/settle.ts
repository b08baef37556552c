import type { Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';
import { deferTier, retryTier, tierForWait, tierWithin, type Schedule } from './schedule.ts';

/** Decides what follows from an outcome: all policy about that is here. `now` is when the outcome was known. */
export function settle(delivery: Delivery, outcome: Outcome, schedule: Schedule, now: number): Settlement {
  switch (outcome.kind) {
    case 'delivered':
    case 'unsubscribed':
      return { kind: 'done' };
    case 'http_error':
      return retry(delivery, schedule, now, outcome.retryAfterMs ?? 0);
    case 'timeout':
    case 'dns_error':
    case 'connect_error':
    case 'tls_error':
    case 'connection_lost':
    case 'protocol_error':
    case 'blocked':
      return retry(delivery, schedule, now, 0);
    case 'configuration_invalid':
    case 'paused':
    case 'circuit_open':
    case 'local_error':
      return defer(delivery, schedule, now);
    case 'overloaded':
      return waitUntil(delivery, schedule, now, now + outcome.freeInMs);
    case 'draining':
      return waitUntil(delivery, schedule, now, now);
  }
}

/**
 * Defers a delivery to a given time, in the tier that fits the time left. Its count of deferrals stays the same.
 * Used for retries that are not due, for overloaded endpoints (`freeInMs`) and at shutdown.
 */
export function waitUntil(delivery: Delivery, schedule: Schedule, now: number, dueAt: number): Unsettled {
  const tier = tierForWait(schedule, dueAt - now);
  return unlessExpired(delivery, schedule, { kind: 'defer', tier, dueAt, deferrals: delivery.deferrals });
}

/** Returns the end of a delivery that is older than its schedule allows at this time. Undefined if it is young enough. */
export function expiredAt(delivery: Delivery, schedule: Schedule, now: number): Unsettled | undefined {
  return now > delivery.plannedAt + schedule.maxAgeMs ? { kind: 'dead', reason: 'expired' } : undefined;
}

function retry(delivery: Delivery, schedule: Schedule, now: number, retryAfterMs: number): Unsettled {
  const wanted = retryTier(schedule, delivery.attempt, retryAfterMs, now - delivery.plannedAt);
  if (wanted === undefined) return { kind: 'dead', reason: 'exhausted' };
  const tier = tierWithin(schedule, wanted, leftMs(delivery, schedule, now), retryAfterMs);
  return unlessExpired(delivery, schedule, { kind: 'retry', tier, dueAt: dueIn(schedule, tier, now) });
}

function defer(delivery: Delivery, schedule: Schedule, now: number): Unsettled {
  const wanted = deferTier(schedule, delivery.attempt, delivery.deferrals);
  // A delivery is written once per tier at most, and then once per longest delay. Shorter waits at its end count among these writes.
  const mayBeShorter = delivery.deferrals < schedule.delaysMs.length;
  const tier = mayBeShorter ? tierWithin(schedule, wanted, leftMs(delivery, schedule, now)) : wanted;
  const dueAt = dueIn(schedule, tier, now);
  return unlessExpired(delivery, schedule, { kind: 'defer', tier, dueAt, deferrals: delivery.deferrals + 1 });
}

function leftMs({ plannedAt }: Delivery, { maxAgeMs }: Schedule, now: number): number {
  return plannedAt + maxAgeMs - now;
}

function dueIn({ delaysMs }: Schedule, tier: number, now: number): number {
  const delayMs = delaysMs[tier];
  if (delayMs === undefined) throw new RangeError(`there is no tier ${tier}`);
  return now + delayMs;
}

function unlessExpired(
  delivery: Delivery,
  schedule: Schedule,
  settlement: Exclude<Unsettled, { readonly kind: 'dead' }>,
): Unsettled {
  return expiredAt(delivery, schedule, settlement.dueAt) ?? settlement;
}

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
