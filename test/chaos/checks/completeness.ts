import type { Evidence } from '../evidence/evidence.ts';
import { acceptances, expectedDeliveries } from './expected-deliveries.ts';

/** What was lost on the way: deliveries that came nowhere, and what else does not add up. */
export interface Completeness {
  readonly missing: readonly string[];
  readonly deadLettered: readonly string[];
  /** Requests that nobody could expect: of no record, or with another record's body. */
  readonly foreign: readonly string[];
  /** Acknowledged to the producer, and not in the topic: then Kafka lost them, and the experiment proves nothing. */
  readonly vanished: readonly string[];
}

export function completeness(evidence: Evidence): Completeness {
  const accepted = acceptances(evidence);
  const dead = new Set(evidence.handoffs.filter((one) => one.deadBecause !== undefined).map((one) => one.deliveryId));
  const undelivered = expectedDeliveries(evidence)
    .map(({ deliveryId }) => deliveryId)
    .filter((id) => !accepted.has(id));
  return {
    missing: undelivered.filter((id) => !dead.has(id)),
    deadLettered: undelivered.filter((id) => dead.has(id)),
    foreign: foreignRequests(evidence),
    vanished: vanishedRecords(evidence),
  };
}

function foreignRequests(evidence: Evidence): readonly string[] {
  const certificates = new Map(
    expectedDeliveries(evidence).map(({ deliveryId, record }) => [deliveryId, record.certificateId]),
  );
  return evidence.requests
    .filter(({ deliveryId, certificateId }) => certificates.get(deliveryId) !== certificateId)
    .map(({ deliveryId, certificateId }) => `${certificateId} as ${deliveryId}`);
}

function vanishedRecords({ records, acknowledged }: Evidence): readonly string[] {
  const kept = new Map(
    records.map(({ partition, offset, certificateId }) => [`${partition}/${offset}`, certificateId]),
  );
  return acknowledged
    .filter(({ partition, offset, certificateId }) => kept.get(`${partition}/${offset}`) !== certificateId)
    .map(({ partition, offset, certificateId }) => `${certificateId} at ${partition}/${offset}`);
}
