import { eventTypes, type Decoded, type EventType, type Rejection } from './certificate.ts';
import { parseJson, type ReadJson, isFramed, readFrame, withoutRegistry, type FramedValues } from './framing.ts';
import { headerText, recordExcess, type RecordHeaders, type SourceRecord } from './record.ts';
import { renderCertificate } from './render.ts';
import { validateRecord } from './certificate-schema.ts';

export interface Decoder {
  /**
   * Returns undefined when the record can be decoded now. Otherwise resolves when the caller should ask again, and the
   * schemas of the records behind it are requested too.
   */
  readonly whenReadable: (record: SourceRecord, behind?: Iterable<SourceRecord>) => Promise<void> | undefined;
  /**
   * Decodes a record. No content of a record makes it throw. `now` is the time of reading in epoch milliseconds, used for
   * records without a timestamp.
   */
  readonly decode: (record: SourceRecord, now: number) => Decoded;
}

interface DecoderOptions {
  /** Topics that are missing here or have no event type are mixed. */
  readonly eventTypeByTopic: ReadonlyMap<string, EventType | undefined>;
  /** Reads values in Confluent framing. Without it, such values are undecodable. */
  readonly framed?: Pick<FramedValues, 'whenReadable' | 'read'>;
  /** `RECORD_MAX_BYTES`. By default there is no limit. */
  readonly maxValueBytes?: number;
}

/** Creates a decoder from bytes to certificates. Each record's framing decides, so a topic may mix formats. */
export function createDecoder(options: DecoderOptions): Decoder {
  const { eventTypeByTopic, framed = withoutRegistry, maxValueBytes = Number.POSITIVE_INFINITY } = options;
  const declared = ({ topic, headers }: SourceRecord): DeclaredEvent =>
    declaredEvent(eventTypeByTopic.get(topic), headers);
  const schemaOf = (record: SourceRecord): Promise<void> | undefined => {
    if (record.value === null || !isFramed(record.value) || declared(record) === 'other') return undefined;
    return recordExcess(record, maxValueBytes) === undefined ? framed.whenReadable(record.value) : undefined;
  };
  return {
    whenReadable(record, behind = []) {
      const schema = schemaOf(record);
      if (schema !== undefined) for (const one of firstOfEachSchema(behind)) void schemaOf(one);
      return schema;
    },
    decode(record, now) {
      if (record.value === null) return { kind: 'ignored', why: 'null_value' };
      const excess = recordExcess(record, maxValueBytes);
      if (excess !== undefined) return rejected('too_large', excess);
      const event = declared(record);
      if (event === 'other') return { kind: 'ignored', why: 'other_event' };
      const read = isFramed(record.value) ? framed.read(record.value) : parseJson(record.value);
      const parsed = read.kind === 'plain' ? renderCertificate(read.value) : read;
      return toCertificate(parsed, event, record.timestamp ?? now);
    },
  };
}

/** The event type that the topic or a header declares. With `undeclared`, the value decides. */
type DeclaredEvent = EventType | 'other' | 'undeclared';

/** Returns the event type of the topic. Only for a mixed topic, whose type is undefined, the headers decide. */
export function declaredEvent(topicType: EventType | undefined, headers: RecordHeaders): DeclaredEvent {
  if (topicType !== undefined) return topicType;
  const named = headerText(headers, 'event-type') ?? headerText(headers, 'ce_type');
  if (named === undefined) return 'undeclared';
  return eventTypes.find((eventType) => eventType === named) ?? 'other';
}

/** Applies rule 2 of the contract's Events. A certificate that expires exactly at `asOf`, in epoch ms, is not expired. */
export function eventTypeByExpiry(expiresAt: number | undefined, asOf: number): EventType {
  return expiresAt !== undefined && expiresAt < asOf ? 'certificate_expired' : 'certificate_completed';
}

/** Schemas that are requested at once for one partition. More would be a burden for the registry. */
const maxSchemasAhead = 32;

function firstOfEachSchema(records: Iterable<SourceRecord>): readonly SourceRecord[] {
  const found = new Map<number, SourceRecord>();
  for (const record of records) {
    if (record.value === null || !isFramed(record.value)) continue;
    const frame = readFrame(record.value);
    if (frame.kind === 'framed' && !found.has(frame.schemaId)) found.set(frame.schemaId, record);
    if (found.size === maxSchemasAhead) break;
  }
  return [...found.values()];
}

function toCertificate(parsed: ReadJson, declared: Exclude<DeclaredEvent, 'other'>, asOf: number): Decoded {
  if (parsed.kind !== 'json') return rejected(parsed.kind, parsed.message);
  const record = validateRecord(parsed.document);
  if (record.kind === 'invalid') return rejected('invalid_record', record.message);
  const { id, userId, ownerId, expiresAt, missingFields } = record;
  const eventType = declared === 'undeclared' ? eventTypeByExpiry(expiresAt, asOf) : declared;
  return { kind: 'certificate', certificate: { id, userId, ownerId, eventType, body: parsed.bytes, missingFields } };
}

function rejected(reason: Rejection['reason'], message: string): Decoded {
  return { kind: 'rejected', rejection: { reason, message } };
}
