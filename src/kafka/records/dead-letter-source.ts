import { headerText, type SourceRecord } from '../../certificates/record.ts';
import { HeaderReader } from './header-reader.ts';
import { headerNames as names } from './headers.ts';

/** The record that a record's dead letter holds, as it was read. Undefined when its place can't be told. */
export function originalRecord(letter: SourceRecord): SourceRecord | undefined {
  const reader = new HeaderReader(letter.headers);
  const topic = reader.required(names.sourceTopic);
  const partition = reader.count(names.sourcePartition, -1);
  const offset = reader.count(names.sourceOffset, -1);
  const timestamp = reader.time(names.sourceTimestamp);
  if (reader.problem !== undefined || partition < 0 || offset < 0) return undefined;
  const headers = letter.headers.filter(([name]) => !ours.has(name));
  return { topic, partition, offset, timestamp, key: letter.key, value: letter.value, headers };
}

/**
 * A tier's record is a delivery. Where that comes from stood in headers that its dead letter took for itself, but its id
 * says it, too.
 */
export function withSourcePosition(record: SourceRecord): SourceRecord {
  const id = headerText(record.headers, names.deliveryId) ?? '';
  const [, topic, partition, offset] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})\//.exec(id) ?? [];
  if (topic === undefined) return record;
  return { ...record, topic, partition: Number(partition), offset: Number(offset) };
}

/** What a record's dead letter has of ours. */
const ours: ReadonlySet<string> = new Set([
  names.sourceTopic,
  names.sourcePartition,
  names.sourceOffset,
  names.sourceTimestamp,
  names.failedAt,
  names.failureReason,
  names.failureMessage,
  names.deadLetterReason,
]);
