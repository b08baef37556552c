import type { Certificate } from '../certificates/certificate.ts';
import { type SourceRecord, readTrace, type Trace } from '../certificates/record.ts';
import type { Webhook, Directory } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';

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

/** Reasons for which no webhook of the owner gets a certificate. */
export type UnclaimedReason = 'no_webhook' | 'disabled' | 'other_event';

/** Returns why a certificate that none of its owner's webhooks wants is unclaimed. `disabled`: all of them are. */
export function unclaimedReason(webhooks: readonly Webhook[]): UnclaimedReason {
  if (webhooks.length === 0) return 'no_webhook';
  return webhooks.every(({ state }) => state === 'disabled') ? 'disabled' : 'other_event';
}

/** Returns the deliveries that a plan has left. */
export function allOf(plan: DeliveryPlan): readonly Delivery[] {
  const deliveries: Delivery[] = [];
  for (let next = plan.next(); next !== undefined; next = plan.next()) deliveries.push(next);
  return deliveries;
}

export const unsubscribed: Outcome = { kind: 'unsubscribed' };
const paused: Outcome = { kind: 'paused' };
const invalid: Outcome = { kind: 'configuration_invalid' };

/** Returns the current version of a delivery's webhook, or the outcome when no request may be made to it. */
export function lookUp(delivery: Delivery, directory: Pick<Directory, 'byId'>): Webhook | Outcome {
  const webhook = directory.byId(delivery.webhookId);
  if (webhook === undefined || !isSubscribed(delivery, webhook)) return unsubscribed;
  switch (webhook.state) {
    case 'active':
      return webhook;
    case 'paused':
      return paused;
    case 'disabled':
      return unsubscribed;
    case 'invalid':
      return invalid;
  }
}

/**
 * An invalid configuration without an owner may still be this owner's, so its deliveries wait instead of being dropped.
 */
function isSubscribed(delivery: Delivery, webhook: Webhook): boolean {
  const isOwners = webhook.ownerId === delivery.ownerId || webhook.ownerId === undefined;
  return isOwners && webhook.wants(delivery.eventType);
}
