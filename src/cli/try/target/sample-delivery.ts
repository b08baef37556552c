import type { EventType } from '../../../certificates/certificate.ts';
import { allOf, CertificatePlan } from '../../../deliveries/plan.ts';
import type { Delivery } from '../../../deliveries/delivery.ts';
import type { FoundWebhook } from './find-webhook.ts';
import type { SampleCertificate } from './sample-certificate.ts';

interface PlanSampleOptions {
  readonly sample: SampleCertificate;
  readonly eventType: EventType;
  /** Tells deliveries apart: their ids differ by it. */
  readonly number: number;
  readonly now: number;
}

/**
 * Plans the delivery of a sample to a webhook, as if it had come from a topic called `try`. Plans it even if the webhook does
 * not want the event.
 */
export function planSample(
  { id, configuration: { ownerId, endpoint } }: Extract<FoundWebhook, { readonly kind: 'found' }>,
  { sample, eventType, number, now }: PlanSampleOptions,
): Delivery {
  const body = Buffer.from(JSON.stringify(sample), 'utf8');
  const record = { topic: 'try', partition: 0, offset: number, timestamp: now, key: null, value: body, headers: [] };
  const certificate = { id: sample._id, userId: sample._userId, ownerId, eventType, body, missingFields: [] };
  const webhook = { id, ownerId, state: 'active', wants: () => true, endpoint: () => endpoint } as const;
  const [delivery] = allOf(new CertificatePlan({ record, certificate, webhooks: [webhook], now }));
  if (delivery === undefined) throw new Error('the plan of a webhook that wants the event has a delivery');
  return delivery;
}
