import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { headerText, type SourceRecord } from '../../certificates/record.ts';
import { unsettledBefore } from '../../kafka/consumer/commits/group-commits.ts';
import { originalRecord, readDeadLetter, sourcePositionOf } from '../../kafka/records/dead-letter.ts';
import { headerNames as names, headerTime } from '../../kafka/records/headers.ts';
import type { DeadLetterPosition } from '../../kafka/records/replay-headers.ts';
import { readResult, shortenedResult, type ToldResult } from '../../kafka/records/result.ts';
import { positionText } from '../command.ts';
import type { OpenTier } from '../tiers.ts';
import type { CertificateRecords, Wanted } from './certificate-records.ts';

/** One trace that a delivery has left in a topic. Times are in epoch milliseconds. */
export type DeliveryEvent = TierEvent | DeadLetterEvent | ResultEvent;

interface FailureTrace {
  /** Attempts made so far. */
  readonly attempt: number;
  readonly reason: string | undefined;
  readonly status: number | undefined;
}

export interface TierEvent {
  readonly kind: 'tier';
  readonly at: number;
  readonly topic: string;
  readonly dueAt: number;
  readonly plannedAt: number | undefined;
  readonly failure: FailureTrace;
  /** Number of unsettled records before it in its partition. Undefined once it is settled. */
  readonly behind: number | undefined;
}

export interface DeadLetterEvent extends DeadLetterPosition {
  readonly kind: 'dead_letter';
  readonly at: number;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly plannedAt: number | undefined;
  readonly failure: FailureTrace;
}

/** The mark of a dead letter that was replayed or purged, with its time in epoch milliseconds. */
export interface LetterMark {
  readonly at: number;
  readonly isPurge: boolean;
}

export interface ResultEvent extends ToldResult {
  readonly kind: 'result';
  /** All that it tells, which is the same where it was written again, shortened or not. */
  readonly text: string;
}

/** Traces of a certificate. More would not be read by anybody. */
const maxEvents = 10_000;

/**
 * The traces that the certificate's deliveries left in the tiers, the dead letters and the results. Each
 * topic is read once, in any order. Keeps the traces of the wanted certificate alone, and `maxEvents` of them.
 */
export class DeliveryEvents {
  readonly #wanted: Wanted;
  readonly #records: CertificateRecords;
  readonly #maxEvents: number;
  /** The traces by the position of the certificate record, then by the id of the webhook. */
  readonly #deliveries = new Map<string, Map<string, DeliveryEvent[]>>();
  /** Dead letters of records, by the position of the record. */
  readonly #recordLetters = new Map<string, DeadLetterEvent[]>();
  readonly #marks = new Map<string, LetterMark>();
  #count = 0;
  omitted = 0;

  constructor(wanted: Wanted, records: CertificateRecords, most = maxEvents) {
    this.#wanted = wanted;
    this.#records = records;
    this.#maxEvents = most;
  }

  /** Returns the traces of the deliveries of a record, by the id of the webhook. */
  ofRecord(position: string): ReadonlyMap<string, readonly DeliveryEvent[]> {
    return this.#deliveries.get(position) ?? new Map<string, readonly DeliveryEvent[]>();
  }

  lettersOf(position: string): readonly DeadLetterEvent[] {
    return this.#recordLetters.get(position) ?? [];
  }

  markOf({ partition, offset }: DeadLetterPosition): LetterMark | undefined {
    return this.#marks.get(`${partition}/${offset}`);
  }

  takeRetry(record: SourceRecord, open: OpenTier): void {
    const { headers, partition, offset, timestamp = 0, value } = record;
    if (value !== null && headerText(headers, names.owedResult) !== undefined) this.#takeResult(value);
    if (!this.#isOurs(record)) return;
    const progress = open.progressOf(partition) ?? { offset: 0, settled: [] };
    this.#addOf(record, {
      kind: 'tier',
      at: timestamp,
      topic: record.topic,
      dueAt: headerTime(headers, names.dueAt) ?? timestamp + open.tier.delayMs,
      plannedAt: headerTime(headers, names.plannedAt),
      failure: failureOf(record),
      behind: open.isSettled(partition, offset) ? undefined : unsettledBefore(progress, offset),
    });
  }

  /** Takes a dead letter, or the marker of one that was replayed or purged. */
  takeDeadLetter(record: SourceRecord): Promise<void> | undefined {
    const found = readDeadLetter(record);
    if (found.kind === 'marker') {
      const isOurs = this.#records.has(found.source) || this.#isOurs(record);
      const at = headerTime(record.headers, names.replayedAt);
      if (isOurs && found.of !== undefined && at !== undefined) this.#mark(found.of, { at, isPurge: found.isPurge });
      return undefined;
    }
    const { at, of, reason, source } = found.letter;
    const { headers, partition, offset } = record;
    const event: DeadLetterEvent = {
      kind: 'dead_letter',
      at,
      partition,
      offset,
      reason,
      message: headerText(headers, names.failureMessage),
      plannedAt: headerTime(headers, names.plannedAt),
      failure: failureOf(record),
    };
    if (of === 'delivery') return this.#isOurs(record) ? this.#addOf(record, event) : undefined;
    if (this.#records.has(source)) return this.#addLetter(source, event);
    const original = originalRecord(record);
    return original === undefined ? undefined : this.#takeOriginal(original, event);
  }

  takeResultRecord({ value }: SourceRecord): void {
    if (value !== null) this.#takeResult(value);
  }

  /** Takes a result of the wanted certificate. A shortened one names no certificate, and its delivery's id has to do. */
  #takeResult(value: Buffer): void {
    const isShort = !value.includes(certificateField) && value.includes(deliveryField);
    if (!isShort && !this.#wanted.mayBeIn(value)) return;
    // A type that tells of no delivery tells of a record, whose state is known from its topic.
    const result = readResult(value);
    if (result === undefined || !this.#isOfWanted(result)) return;
    const { deliveryId, ownerId } = result;
    this.#add(deliveryId, { ownerId }, { ...result, kind: 'result', text: shortenedResult(value).toString() });
  }

  /** Takes the dead letter of a record that its topic does not hold any more. */
  async #takeOriginal(original: SourceRecord, event: DeadLetterEvent): Promise<void> {
    const position = positionText(original);
    await this.#records.take(original, false);
    if (this.#records.has(position)) this.#addLetter(position, event);
  }

  #isOurs({ headers }: SourceRecord): boolean {
    const certificateId = headerText(headers, names.certificateId);
    return certificateId !== undefined && this.#isWanted(certificateId, headerText(headers, names.ownerId));
  }

  #isWanted(certificateId: string, ownerId: string | undefined): boolean {
    return this.#wanted.isId(certificateId) && (this.#wanted.ownerId ?? ownerId) === ownerId;
  }

  #isOfWanted({ deliveryId, certificateId, ownerId }: ToldResult): boolean {
    if (certificateId !== undefined) return this.#isWanted(certificateId, ownerId);
    const source = sourcePositionOf(deliveryId)?.source;
    return source !== undefined && this.#records.has(positionText(source));
  }

  /** Adds the trace that a record with our headers is. */
  #addOf({ headers }: SourceRecord, event: DeliveryEvent): undefined {
    const eventType = eventTypes.find((one) => one === headerText(headers, names.eventType));
    const timestamp = headerTime(headers, names.sourceTimestamp);
    const ownerId = headerText(headers, names.ownerId);
    this.#add(headerText(headers, names.deliveryId) ?? '', { ownerId, eventType, timestamp }, event);
  }

  /** Adds the trace of a delivery. Its certificate record counts as found, even if its topic does not hold it any more. */
  #add(deliveryId: string, known: KnownOfRecord, event: DeliveryEvent): void {
    const id = sourcePositionOf(deliveryId);
    if (id === undefined || !this.#hasRoom()) return;
    const { source, webhookId } = id;
    const position = positionText(source);
    const { ownerId = '', eventType, timestamp } = known;
    if (!this.#records.has(position)) {
      const content = { kind: 'certificate', ownerId, eventType } as const;
      this.#records.add({ ...source, timestamp, content, isInTopic: false });
    }
    const deliveries = this.#deliveries.get(position) ?? new Map<string, DeliveryEvent[]>();
    this.#deliveries.set(position, deliveries);
    deliveries.set(webhookId, [...(deliveries.get(webhookId) ?? []), event]);
  }

  #addLetter(position: string, event: DeadLetterEvent): undefined {
    if (!this.#hasRoom()) return;
    this.#recordLetters.set(position, [...this.lettersOf(position), event]);
  }

  #mark({ partition, offset }: DeadLetterPosition, mark: LetterMark): void {
    if (this.#hasRoom()) this.#marks.set(`${partition}/${offset}`, mark);
  }

  #hasRoom(): boolean {
    this.#count += 1;
    if (this.#count > this.#maxEvents) this.omitted += 1;
    return this.#count <= this.#maxEvents;
  }
}

const certificateField = Buffer.from('"certificateId"');
const deliveryField = Buffer.from('"deliveryId"');

/** The fields of the certificate record that a trace tells. */
interface KnownOfRecord {
  readonly ownerId: string | undefined;
  readonly eventType?: EventType | undefined;
  readonly timestamp?: number | undefined;
}

function failureOf({ headers }: SourceRecord): FailureTrace {
  const status = Number(headerText(headers, names.failureStatus));
  return {
    attempt: Number(headerText(headers, names.attempt) ?? 0),
    reason: headerText(headers, names.failureReason),
    status: Number.isNaN(status) ? undefined : status,
  };
}
