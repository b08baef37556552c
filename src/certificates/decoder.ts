import type { Decoded, EventType, Rejection } from './certificate.ts';
import type { Parsed } from './value-codec.ts';
import { declaredEvent, eventTypeByExpiry, type DeclaredEvent } from './event-type.ts';
import { createFramedCodec } from './framed.ts';
import { isFramed, withoutRegistry, type FramedValues } from './framing.ts';
import { parseJson } from './json.ts';
import type { SourceRecord } from './record.ts';
import { validateRecord } from './certificate-schema.ts';

export interface Decoder {
  /** Undefined when the record can be decoded now; else a promise that resolves when it is worth asking again. */
  readonly whenReadable: (record: SourceRecord) => Promise<void> | undefined;
  /** `now` is the time of reading, for records that carry no time of their own. Never throws for what a record holds. */
  readonly decode: (record: SourceRecord, now: number) => Decoded;
}

interface DecoderOptions {
  /** A topic without an event type, or not in here, is mixed. */
  readonly eventTypeByTopic: ReadonlyMap<string, EventType | undefined>;
  /** Values in Confluent framing; without it they are undecodable. */
  readonly framed?: FramedValues;
}

/** From bytes to a certificate, by each record's own framing: a topic may hold records of several formats. */
export function createDecoder({ eventTypeByTopic, framed = withoutRegistry }: DecoderOptions): Decoder {
  const readFramed = createFramedCodec(framed);
  const declared = ({ topic, headers }: SourceRecord): DeclaredEvent =>
    declaredEvent(eventTypeByTopic.get(topic), headers);
  return {
    whenReadable(record) {
      if (record.value === null || !isFramed(record.value) || declared(record) === 'other') return undefined;
      return framed.whenReadable(record.value);
    },
    decode(record, now) {
      if (record.value === null) return { kind: 'ignored', why: 'null_value' };
      const event = declared(record);
      if (event === 'other') return { kind: 'ignored', why: 'other_event' };
      const parsed = isFramed(record.value) ? readFramed(record.value) : parseJson(record.value);
      return certify(parsed, event, record.timestamp ?? now);
    },
  };
}

function certify(parsed: Parsed, declared: Exclude<DeclaredEvent, 'other'>, at: number): Decoded {
  if (parsed.kind === 'undecodable') return rejected('undecodable', parsed.message);
  const judged = validateRecord(parsed.document);
  if (judged.kind === 'invalid') return rejected('invalid_record', judged.message);
  const { id, userId, ownerId, expiresAt, missingFields } = judged;
  const eventType = declared === 'undeclared' ? eventTypeByExpiry(expiresAt, at) : declared;
  return { kind: 'certificate', certificate: { id, userId, ownerId, eventType, body: parsed.body, missingFields } };
}

function rejected(reason: Rejection['reason'], message: string): Decoded {
  return { kind: 'rejected', rejection: { reason, message } };
}
