import type { Certificate } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { readTrace, type Trace } from '../certificates/trace.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';

/** Creates one delivery for each webhook that wants the certificate's event, one by one as the caller takes them. */
export function* plan(
  record: SourceRecord,
  certificate: Certificate,
  webhooks: readonly Webhook[],
  now: number,
): Generator<Delivery, undefined> {
  const trace = readTrace(record.headers);
  for (const webhook of webhooks) {
    if (webhook.wants(certificate.eventType)) yield createDelivery({ record, certificate, trace, now }, webhook.id);
  }
}

interface Planned {
  readonly record: SourceRecord;
  readonly certificate: Certificate;
  readonly trace: Trace;
  readonly now: number;
}

function createDelivery({ record, certificate, trace, now }: Planned, webhookId: string): Delivery {
  const { topic, partition, offset, timestamp, key } = record;
  return {
    deliveryId: `${topic}/${partition}/${offset}/${webhookId}`,
    webhookId,
    ownerId: certificate.ownerId,
    certificateId: certificate.id,
    eventType: certificate.eventType,
    body: certificate.body,
    key,
    source: { topic, partition, offset, timestamp },
    trace,
    attempt: 1,
    deferrals: 0,
    plannedAt: now,
    firstAttemptedAt: undefined,
    lastFailure: undefined,
  };
}
