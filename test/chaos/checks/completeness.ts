import type { Evidence } from '../evidence/evidence.ts';
import { acceptances, expectedDeliveries } from './expected-deliveries.ts';

/** The deliveries that were lost, and other differences between expected and observed deliveries. */
interface Completeness {
  /** Deliveries that were never accepted and have no dead letter. */
  readonly missing: readonly string[];
  /** Deliveries that were never accepted and have a dead letter. */
  readonly deadLettered: readonly string[];
  /** Requests that belong to no record, or that carry the body of another record. */
  readonly unexpected: readonly string[];
  /** Records that Kafka acknowledged and then lost. The experiment proves nothing in that case. */
  readonly lostByKafka: readonly string[];
}

export function checkCompleteness(evidence: Evidence): Completeness {
  const accepted = acceptances(evidence);
  const deadLetterIds = new Set(
    evidence.published.filter((one) => one.deadLetterReason !== undefined).map((one) => one.deliveryId),
  );
  const undelivered = expectedDeliveries(evidence)
    .map(({ deliveryId }) => deliveryId)
    .filter((id) => !accepted.has(id));
  return {
    missing: undelivered.filter((id) => !deadLetterIds.has(id)),
    deadLettered: undelivered.filter((id) => deadLetterIds.has(id)),
    unexpected: findUnexpectedRequests(evidence),
    lostByKafka: findRecordsLostByKafka(evidence),
  };
}

function findUnexpectedRequests(evidence: Evidence): readonly string[] {
  const certificates = new Map(
    expectedDeliveries(evidence).map(({ deliveryId, record }) => [deliveryId, record.certificateId]),
  );
  return evidence.requests
    .filter(({ deliveryId, certificateId }) => certificates.get(deliveryId) !== certificateId)
    .map(({ deliveryId, certificateId }) => `${certificateId} as ${deliveryId}`);
}

function findRecordsLostByKafka({ records, acknowledged }: Evidence): readonly string[] {
  const kept = new Map(
    records.map(({ partition, offset, certificateId }) => [`${partition}/${offset}`, certificateId]),
  );
  return acknowledged
    .filter(({ partition, offset, certificateId }) => kept.get(`${partition}/${offset}`) !== certificateId)
    .map(({ partition, offset, certificateId }) => `${certificateId} at ${partition}/${offset}`);
}
