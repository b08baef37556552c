import type { Failure } from '../deliveries/delivery.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { DeadReason, Settlement } from '../deliveries/settlement.ts';
import type { DeliveryAttempted, DeliveryDeferred } from './pipeline-events.ts';

/** The events of a delivery. Each is a log line and a type of record in the results topic. */
export const deliveryEvents = [
  'delivery.attempted',
  'delivery.deferred',
  'delivery.dead_lettered',
  'delivery.unsubscribed',
] as const;

/** The public facts of one event, without the ids. The log line and the record in the results topic are made of them. */
export interface DeliveryFacts {
  readonly event: (typeof deliveryEvents)[number];
  readonly outcome?: Outcome['kind'] | 'not_due';
  readonly status?: Failure['status'];
  readonly failure?: string | undefined;
  readonly durationMs?: number;
  readonly settlement?: Settlement;
  /** The reason of a dead letter. A settlement has its own. */
  readonly reason?: DeadReason;
}

export function attemptFacts({ outcome, settlement, durationMs }: DeliveryAttempted): DeliveryFacts {
  return {
    event: 'delivery.attempted',
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : undefined,
    failure: 'message' in outcome ? outcome.message : undefined,
    durationMs,
    settlement,
  };
}

/** Returns the facts of a deferral. Status and failure are those of the latest failed attempt, if there was one. */
export function deferralFacts({ reason, failure, settlement }: DeliveryDeferred): DeliveryFacts {
  return {
    event: 'delivery.deferred',
    outcome: reason,
    status: failure?.status,
    failure: failure?.message,
    settlement,
  };
}

export function deadLetterFacts(reason: DeadReason): DeliveryFacts {
  return { event: 'delivery.dead_lettered', reason };
}

export const unsubscribedFacts: DeliveryFacts = { event: 'delivery.unsubscribed' };

interface SettlementFields {
  readonly dueAt?: string;
  readonly reason?: DeadReason;
}

/** Returns the public fields of a settlement beside its kind. */
export function settlementFields(settlement: Settlement | undefined): SettlementFields {
  switch (settlement?.kind) {
    case 'retry':
    case 'defer':
      return { dueAt: new Date(settlement.dueAt).toISOString() };
    case 'dead':
      return { reason: settlement.reason };
    case 'done':
    case undefined:
      return nothing;
  }
}

const nothing: SettlementFields = {};
