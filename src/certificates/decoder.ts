import type { Decoded, EventType, Rejection } from './certificate.ts';
import type { Codec, Parsed } from './codec.ts';
import { declaredEvent, eventTypeByExpiry, type DeclaredEvent } from './event-type.ts';
import { parseJson } from './json.ts';
import type { SourceRecord } from './record.ts';
import { judgeRecord } from './schema.ts';

/** `now` is the time of reading, for records that carry no time of their own. Never throws for what a record holds. */
export type Decoder = (record: SourceRecord, now: number) => Decoded;

export interface DecoderOptions {
  /** A topic without an event type, or not in here, is mixed. */
  readonly eventTypeByTopic: ReadonlyMap<string, EventType | undefined>;
  /** Reads values in Confluent framing; without it they are undecodable. */
  readonly framed?: Codec;
}

/** From bytes to a certificate, by each record's own framing: a topic may hold records of several formats. */
export function createDecoder({ eventTypeByTopic, framed = withoutRegistry }: DecoderOptions): Decoder {
  return (record, now) => {
    if (record.value === null) return { kind: 'ignored', why: 'null_value' };
    const declared = declaredEvent(eventTypeByTopic.get(record.topic), record.headers);
    if (declared === 'other') return { kind: 'ignored', why: 'other_event' };
    const codec = isFramed(record.value) ? framed : parseJson;
    return certify(codec(record.value), declared, record.timestamp ?? now);
  };
}

function certify(parsed: Parsed, declared: Exclude<DeclaredEvent, 'other'>, at: number): Decoded {
  if (parsed.kind === 'undecodable') return rejected('undecodable', parsed.message);
  const judged = judgeRecord(parsed.document);
  if (judged.kind === 'invalid') return rejected('invalid_record', judged.message);
  const { id, userId, ownerId, expiresAt, missingFields } = judged;
  const eventType = declared === 'undeclared' ? eventTypeByExpiry(expiresAt, at) : declared;
  return { kind: 'certificate', certificate: { id, userId, ownerId, eventType, body: parsed.body, missingFields } };
}

/** Confluent's wire format begins with a zero byte and four bytes of schema id; no JSON text begins with zero. */
function isFramed(value: Buffer): boolean {
  return value[0] === 0;
}

function withoutRegistry(): Parsed {
  return {
    kind: 'undecodable',
    message: 'the value is framed for a schema registry, and none is set (SCHEMA_REGISTRY_URL)',
  };
}

function rejected(reason: Rejection['reason'], message: string): Decoded {
  return { kind: 'rejected', rejection: { reason, message } };
}
