import type { OutgoingHeaders } from '../client/kafka.ts';
import { headerText, type RecordHeaders, type SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { retryHeaders } from './envelope.ts';
import { HeaderReader, headerNames as names, outgoingHeaders, timeText, type HeaderTexts } from './headers.ts';

export type DeadLetterPosition = Pick<SourceRecord, 'partition' | 'offset'>;

/** A record of the dead-letter topic, which holds a delivery or a source record. */
export interface DeadLetterRecord {
  readonly record: SourceRecord;
  readonly of: 'delivery' | 'record';
}

/** Returns the headers of a replayed delivery: those of a retry, and the position of its dead letter if it has one. */
export function replayHeaders(
  delivery: Delivery,
  dueAt: number,
  letter: DeadLetterPosition | undefined,
): OutgoingHeaders {
  const headers = retryHeaders(delivery, dueAt);
  return letter === undefined ? headers : [...headers, ...outgoingHeaders(positionTexts(letter))];
}

/**
 * Returns the headers of the marker of a dead letter that was replayed, or of one that was purged. Earlier versions skip both,
 * since both have `replayed-at`. They identify the delivery or the record, and name the dead
 * letter's position because the same delivery may have another dead letter later.
 */
export function markerHeaders(
  { record, of }: DeadLetterRecord,
  at: number,
  why: 'replayed' | 'purged' = 'replayed',
): OutgoingHeaders {
  const identity = of === 'delivery' ? [...deliveryNames, ...sourceNames] : sourceNames;
  return outgoingHeaders([
    ...identity.map((name) => [name, headerText(record.headers, name)] as const),
    [names.replayedAt, timeText(at)],
    [names.purgedAt, why === 'purged' ? timeText(at) : undefined],
    ...positionTexts(record),
  ]);
}

/** Returns the position of the dead letter that a marker or a replayed delivery names. */
export function deadLetterPosition(headers: RecordHeaders): DeadLetterPosition | undefined {
  const reader = new HeaderReader(headers);
  const partition = reader.count(names.deadLetterPartition, -1);
  const offset = reader.count(names.deadLetterOffset, -1);
  return reader.problem !== undefined || partition < 0 || offset < 0 ? undefined : { partition, offset };
}

/** Returns the position of the certificate record that these headers name, as `topic/partition/offset`. */
export function sourceName(headers: RecordHeaders): string {
  return [names.sourceTopic, names.sourcePartition, names.sourceOffset]
    .map((name) => headerText(headers, name) ?? '')
    .join('/');
}

const deliveryNames = [names.webhookId, names.ownerId, names.certificateId, names.eventType, names.deliveryId];
const sourceNames = [names.sourceTopic, names.sourcePartition, names.sourceOffset, names.sourceTimestamp];

function positionTexts({ partition, offset }: DeadLetterPosition): HeaderTexts {
  return [
    [names.deadLetterPartition, String(partition)],
    [names.deadLetterOffset, String(offset)],
  ];
}

/** Number of neighbouring offsets that share one array. Replayed dead letters are mostly neighbours. */
const chunkLength = 1024;

/**
 * A set of dead letters, such as those that were replayed, in about four bytes each, for topics with millions of them.
 *
 * Each offset is stored with a hash of its certificate record's position. In a topic that was copied or recreated, the same
 * offset holds another dead letter, which must not be skipped.
 */
export class ReplayedOffsets {
  readonly #partitions = new Map<number, Map<number, Uint32Array>>();

  get isEmpty(): boolean {
    return this.#partitions.size === 0;
  }

  add({ partition, offset }: DeadLetterPosition, source: string): void {
    const chunks = this.#partitions.get(partition) ?? new Map<number, Uint32Array>();
    this.#partitions.set(partition, chunks);
    const chunk = chunks.get(chunkOf(offset)) ?? new Uint32Array(chunkLength);
    chunks.set(chunkOf(offset), chunk);
    chunk[offset % chunkLength] = hashOf(source);
  }

  has({ partition, offset }: DeadLetterPosition, source: string): boolean {
    const chunk = this.#partitions.get(partition)?.get(chunkOf(offset));
    return chunk?.[offset % chunkLength] === hashOf(source);
  }
}

function chunkOf(offset: number): number {
  return Math.floor(offset / chunkLength);
}

/** Returns the 32-bit FNV-1a hash, or 1 instead of 0, because 0 means that the offset is not in the set. */
function hashOf(source: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < source.length; index += 1) hash = Math.imul(hash ^ source.charCodeAt(index), 0x01000193);
  return hash >>> 0 || 1;
}
