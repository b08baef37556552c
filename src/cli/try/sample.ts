import { randomBytes } from 'node:crypto';
import type { EventType } from '../../certificates/certificate.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { allOf, CertificatePlan } from '../../deliveries/plan.ts';
import type { FoundWebhook } from './find-webhook.ts';

/**
 * The first half of the ids of a sample: `test` in digits that look like it, three times. Receivers may check that an id
 * has 24 hexadecimal digits, so it can't say so in letters. `docs/subscribers.md` names it.
 */
export const testIdPrefix = '7e577e577e57';

const dayMs = 86_400_000;
/** A year, which is the validity of most trainings. */
const validityDays = 365;

/** A certificate record that no user has earned. */
export type SampleCertificate = Readonly<Record<string, unknown>> & { readonly _id: string; readonly _userId: string };

/** Returns a certificate of this owner with another id at each call. Its ids and its name say that it is a test. */
export function createSample(ownerId: string, eventType: EventType, now: number): SampleCertificate {
  const hasExpired = eventType === 'certificate_expired';
  const completedAt = hasExpired ? now - (validityDays + 1) * dayMs : now;
  const completed = timestamp(completedAt);
  return {
    _id: testId(),
    _userId: testId(),
    _ownerId: ownerId,
    _badgeId: testId(),
    creationDate: completed,
    expires: timestamp(completedAt + validityDays * dayMs),
    disabled: false,
    expiryReminderSent: hasExpired,
    _lessonActiveIds: [testId()],
    ruleData: {
      type: 'certification',
      name: 'Test certificate',
      description: 'Sent by certificate-webhooks try. Nobody has earned it.',
      validityDurationDays: validityDays,
    },
    createdAt: completed,
    updatedAt: timestamp(now),
    __v: 0,
  };
}

function testId(): string {
  return testIdPrefix + randomBytes(6).toString('hex');
}

function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

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
  { id, configuration: { ownerId, endpoint } }: FoundWebhook,
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
