import type { Certificate } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { readTrace } from '../certificates/trace.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';

/** Returns one delivery for each webhook that wants the certificate's event. */
export function plan(
  record: SourceRecord,
  certificate: Certificate,
  webhooks: readonly Webhook[],
  now: number,
): readonly Delivery[] {
  return webhooks
    .filter((webhook) => webhook.wants(certificate.eventType))
    .map((webhook) => createDelivery(record, certificate, webhook.id, now));
}

function createDelivery(record: SourceRecord, certificate: Certificate, webhookId: string, now: number): Delivery {
  const { topic, partition, offset, timestamp, key, headers } = record;
  return {
    deliveryId: `${topic}/${partition}/${offset}/${webhookId}`,
    webhookId,
    ownerId: certificate.ownerId,
    certificateId: certificate.id,
    eventType: certificate.eventType,
    body: certificate.body,
    key,
    source: { topic, partition, offset, timestamp },
    trace: readTrace(headers),
    attempt: 1,
    deferrals: 0,
    plannedAt: now,
    firstAttemptedAt: undefined,
    lastFailure: undefined,
  };
}
