import { headerText, type SourceRecord } from '../../certificates/record.ts';
import { HeaderReader } from './header-reader.ts';
import { headerNames as names } from './headers.ts';

/** Returns the record that a record's dead letter holds. Undefined when its headers do not name its position. */
export function originalRecord(letter: SourceRecord): SourceRecord | undefined {
  const reader = new HeaderReader(letter.headers);
  const topic = reader.required(names.sourceTopic);
  const partition = reader.count(names.sourcePartition, -1);
  const offset = reader.count(names.sourceOffset, -1);
  const timestamp = reader.time(names.sourceTimestamp);
  if (reader.problem !== undefined || partition < 0 || offset < 0) return undefined;
  const headers = letter.headers.filter(([name]) => !ours.has(name));
  const record = { topic, partition, offset, timestamp, key: letter.key, value: letter.value, headers };
  // Without its headers, it may count as another event.
  return headerText(letter.headers, names.headersOmitted) === 'true' ? { ...record, headersOmitted: true } : record;
}

/**
 * Gives a tier's record the position of the certificate record that its delivery comes from. The dead letter has overwritten
 * the headers that named it, so it is read from the delivery's id. Returns the record unchanged if the id names none.
 */
export function withSourcePosition(record: SourceRecord): SourceRecord {
  const id = headerText(record.headers, names.deliveryId) ?? '';
  const [, topic, partition, offset] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})\//.exec(id) ?? [];
  if (topic === undefined) return record;
  return { ...record, topic, partition: Number(partition), offset: Number(offset) };
}

const ours: ReadonlySet<string> = new Set([
  names.sourceTopic,
  names.sourcePartition,
  names.sourceOffset,
  names.sourceTimestamp,
  names.failedAt,
  names.failureReason,
  names.failureMessage,
  names.deadLetterReason,
  names.headersOmitted,
]);
