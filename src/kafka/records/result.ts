import type { EndpointChange } from '../../flow/gates.ts';
import type { ExpiringCertificate } from '../../deliveries/certificate-watch.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import { settlementFields, type DeliveryFacts } from '../../pipeline/delivery-reporter.ts';
import type { RecordFacts } from '../../pipeline/undelivered-records.ts';
import { isObject, parseStrictJson } from '../../lib/strict-json.ts';
import { timeText } from './headers.ts';

/**
 * Returns the value of the record about a delivery. `docs/schemas/result.*` describe it. Times are in epoch milliseconds, here
 * and in the functions below.
 */
export function deliveryResultValue(delivery: Delivery, facts: DeliveryFacts, at: number): Buffer {
  const { event, outcome, status, durationMs, settlement } = facts;
  const { dueAt, reason } = settlementFields(settlement);
  return encoded({
    type: event,
    at: timeText(at),
    configurationId: delivery.webhookId,
    ownerId: delivery.ownerId,
    certificateId: delivery.certificateId,
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    outcome,
    status,
    durationMs,
    settlement: settlement?.kind,
    dueAt,
    reason: facts.reason ?? reason,
  });
}

/** Returns the value of the record about a record that led to no delivery. */
export function recordResultValue(
  { topic, partition, offset }: Pick<SourceRecord, 'topic' | 'partition' | 'offset'>,
  { type, reason, certificate }: RecordFacts,
  at: number,
): Buffer {
  return encoded({
    type,
    at: timeText(at),
    ownerId: certificate?.ownerId,
    certificateId: certificate?.id,
    topic,
    partition,
    offset,
    reason,
  });
}

/** Takes a change whose `failingSince` is a wall time. */
export function endpointResultValue(change: EndpointChange, at: number): Buffer {
  const { webhookId, ownerId, from, to, failures, failingSince } = change;
  return encoded({
    type: 'endpoint.changed',
    at: timeText(at),
    configurationId: webhookId,
    ownerId,
    from,
    to,
    failures,
    since: timeText(failingSince),
  });
}

export function certificateResultValue({ webhookId, ownerId, validUntil }: ExpiringCertificate, at: number): Buffer {
  return encoded({
    type: 'endpoint.certificate_expiring',
    at: timeText(at),
    configurationId: webhookId,
    ownerId,
    validUntil: timeText(validUntil),
  });
}

/** The fields of a result that tells of a delivery. */
export type ToldResult = NonNullable<ReturnType<typeof readResult>>;

/**
 * Reads a result. Undefined for a value that is none, and for one that tells of no delivery. Later versions may add types,
 * outcomes and settlements. The ids of owner and certificate are missing where the topic refused the size of the whole.
 */
export function readResult(value: Buffer) {
  const parsed = parseStrictJson(value);
  if (parsed.kind !== 'json' || !isObject(parsed.value)) return undefined;
  const fields = parsed.value;
  const text = (name: string): string | undefined => (typeof fields[name] === 'string' ? fields[name] : undefined);
  const count = (name: string): number | undefined => (typeof fields[name] === 'number' ? fields[name] : undefined);
  const [deliveryId, type = ''] = ['deliveryId', 'type'].map(text);
  if (deliveryId === undefined) return undefined;
  const [certificateId, ownerId, outcome, settlement, reason] = toldTexts.map(text);
  const at = Date.parse(text('at') ?? '') || 0;
  const [attempt = 0, status] = ['attempt', 'status'].map(count);
  return { type, at, deliveryId, certificateId, ownerId, attempt, outcome, status, settlement, reason };
}

const toldTexts = ['certificateId', 'ownerId', 'outcome', 'settlement', 'reason'];

/** Ids of the longest kind take a tenth of that. What `JSON.parse` builds of it is bounded by its bytes. */
const maxResultBytes = 64 * 1024;

/** Returns false for what no results topic should get: others may write to a tier, too. */
export function isResult(value: Buffer): boolean {
  if (value.length > maxResultBytes) return false;
  try {
    const parsed: unknown = JSON.parse(value.toString());
    return typeof parsed === 'object' && parsed !== null && ('configurationId' in parsed || 'offset' in parsed);
  } catch {
    return false;
  }
}

const leftOut = new Set(['ownerId', 'certificateId']);

/** Leaves out what the position in the delivery's id leads to, for a topic that refuses the size of the whole. */
export function shortenedResult(value: Buffer): Buffer {
  const rest: unknown = JSON.parse(value.toString(), (name, field: unknown) => (leftOut.has(name) ? undefined : field));
  return Buffer.from(JSON.stringify(rest), 'utf8');
}

function encoded(value: Readonly<Record<string, string | number | undefined>>): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}
