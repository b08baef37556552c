import type { Certificate } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { readTrace, type Trace } from '../certificates/trace.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';

export interface DeliveryPlan {
  readonly ownerId: string;
  /** Creates the next delivery. Returns undefined after the last one. */
  next(): Delivery | undefined;
}

interface PlanOptions {
  readonly record: SourceRecord;
  readonly certificate: Certificate;
  readonly webhooks: readonly Webhook[];
  readonly now: number;
}

/** Plans one delivery for each webhook that wants the certificate's event. */
export class CertificatePlan implements DeliveryPlan {
  readonly #options: PlanOptions;
  readonly #trace: Trace;
  #index = 0;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#trace = readTrace(options.record.headers);
  }

  get ownerId(): string {
    return this.#options.certificate.ownerId;
  }

  next(): Delivery | undefined {
    const { certificate, webhooks } = this.#options;
    for (let webhook = webhooks[this.#index]; webhook !== undefined; webhook = webhooks[this.#index]) {
      this.#index += 1;
      if (webhook.wants(certificate.eventType)) return this.#create(webhook.id);
    }
    return undefined;
  }

  #create(webhookId: string): Delivery {
    const { record, certificate, now } = this.#options;
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
      trace: this.#trace,
      attempt: 1,
      deferrals: 0,
      plannedAt: now,
      firstAttemptedAt: undefined,
      lastFailure: undefined,
    };
  }
}

/** Plans the one delivery of a retry. */
export function planOf(delivery: Delivery): DeliveryPlan {
  let next: Delivery | undefined = delivery;
  return {
    ownerId: delivery.ownerId,
    next: () => {
      const taken = next;
      next = undefined;
      return taken;
    },
  };
}

/** Returns the deliveries that a plan has left. */
export function allOf(plan: DeliveryPlan): readonly Delivery[] {
  const deliveries: Delivery[] = [];
  for (let next = plan.next(); next !== undefined; next = plan.next()) deliveries.push(next);
  return deliveries;
}
