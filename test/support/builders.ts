import { randomBytes } from 'node:crypto';
import type { OutgoingHeaders } from '../../src/kafka/client/kafka.ts';
import type { Certificate } from '../../src/certificates/certificate.ts';
import type { SourceRecord } from '../../src/certificates/record.ts';
import type { Delivery } from '../../src/deliveries/delivery.ts';
import type { Authentication } from '../../src/webhooks/webhook.ts';

const ids = {
  certificate: '507f1f77bcf86cd799439011',
  user: '507f191e810c19729de860ea',
  owner: '665f1f77bcf86cd799439000',
  webhook: '665f1f77bcf86cd799439011',
} as const;

export type Document = Readonly<Record<string, unknown>>;

/** Builds a certificate as in the contract, about 650 bytes of JSON. A field set to undefined is left out. */
export function aCertificateDocument(overrides: Document = {}): Document {
  return {
    _id: ids.certificate,
    _userId: ids.user,
    _ownerId: ids.owner,
    _badgeId: '64a1b2c3d4e5f60718293a4b',
    creationDate: '2026-03-14T09:26:53.589Z',
    expires: '2028-03-13T09:26:53.589Z',
    disabled: false,
    expiryReminderSent: false,
    _lessonActiveIds: ['64b0c1d2e3f405162738495a', '64b0c1d2e3f405162738495b'],
    ruleData: {
      type: 'certification',
      name: 'Working safely at height',
      description: 'Annual refresher for site staff: harnesses, ladders, scaffolding and rescue plans, with a test.',
      validityDurationDays: 730,
    },
    createdAt: '2026-03-14T09:26:54.012Z',
    updatedAt: '2026-03-14T09:26:54.012Z',
    __v: 0,
    ...overrides,
  };
}

/** Writes the value as UTF-8 JSON. */
export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** Builds the same certificate in decoded form. */
export function aCertificate(overrides: Partial<Certificate> = {}): Certificate {
  const { id = ids.certificate, userId = ids.user, ownerId = ids.owner } = overrides;
  return {
    id,
    userId,
    ownerId,
    eventType: 'certificate_completed',
    body: json(aCertificateDocument({ _id: id, _userId: userId, _ownerId: ownerId })),
    missingFields: [],
    ...overrides,
  };
}

interface RecordOptions extends Partial<Omit<SourceRecord, 'key' | 'value' | 'headers'>> {
  readonly key?: string | Buffer | null;
  /** A document is written as JSON. Bytes and null are taken unchanged. */
  readonly value?: Document | Buffer | null;
  /** Headers in the order of the record. A list of pairs may contain a name twice. */
  readonly headers?: Readonly<Record<string, string>> | OutgoingHeaders;
}

/** Builds a record of the completed-certificates topic with the certificate of `aCertificateDocument`. */
export function aRecord({
  key = ids.owner,
  value = aCertificateDocument(),
  headers = [],
  ...rest
}: RecordOptions = {}): SourceRecord {
  return {
    topic: 'certificates.completed',
    partition: 0,
    offset: 0,
    timestamp: Date.UTC(2026, 2, 14, 9, 26, 54, 20),
    key: typeof key === 'string' ? Buffer.from(key, 'utf8') : key,
    value: value === null || Buffer.isBuffer(value) ? value : json(value),
    headers: (isPairs(headers) ? headers : Object.entries(headers)).map(([name, content]) => [name, bytesOf(content)]),
    ...rest,
  };
}

function isPairs(headers: Readonly<Record<string, string>> | OutgoingHeaders): headers is OutgoingHeaders {
  return Array.isArray(headers);
}

function bytesOf(value: string | Buffer | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
}

/** Builds a delivery before its first attempt. Its `deliveryId` names its source and its webhook. */
export function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  const certificate = aCertificate();
  const { topic, partition, offset, timestamp, key } = aRecord();
  const { source = { topic, partition, offset, timestamp }, webhookId = ids.webhook } = overrides;
  return {
    deliveryId: `${source.topic}/${source.partition}/${source.offset}/${webhookId}`,
    webhookId,
    ownerId: certificate.ownerId,
    certificateId: certificate.id,
    eventType: certificate.eventType,
    body: certificate.body,
    key,
    source,
    trace: { traceparent: undefined, tracestate: undefined },
    attempt: 1,
    deferrals: 0,
    plannedAt: Date.UTC(2026, 2, 14, 9, 26, 54, 500),
    firstAttemptedAt: undefined,
    lastFailure: undefined,
    ...overrides,
  };
}

/** One authentication per method. The credentials contain characters that are easy to encode wrongly. */
export const authentications: { readonly [Method in Authentication['authType']]: Authentication } = {
  none: { authType: 'none' },
  bearer_token: { authType: 'bearer_token', token: 'Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA' },
  basic_auth: { authType: 'basic_auth', username: 'certificates', password: 'größer:als 3' },
  api_key: { authType: 'api_key', token: 'Key-8d1f0c5b7a9e4632' },
  custom_header: { authType: 'custom_header', headerName: 'X-Partner-Secret', headerValue: 'open sesame' },
};

/** Builds a webhook configuration as in its topic, with the owner of the certificate and a bearer token. */
export function aConfiguration(overrides: Document = {}): Document {
  return {
    _id: ids.webhook,
    _ownerId: ids.owner,
    url: 'https://hooks.example.com/certificates',
    auth: authentications.bearer_token,
    customHeaders: { 'X-Environment': 'production' },
    ...overrides,
  };
}

/** Returns a text that compression shortens by no more than a quarter. */
export function incompressibleText(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}
