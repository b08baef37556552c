import { headerText } from '../../certificates/record.ts';
import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { headerNames } from '../../kafka/records/headers.ts';
import { oneLine } from '../../lib/one-line.ts';

/** Formats a dead letter as one JSON object: its position and our own headers. Foreign headers are left out. */
export function jsonOf({ record }: DeadLetter, replayed: boolean): string {
  const { headers, partition, offset, timestamp } = record;
  const known = Object.values(headerNames).flatMap((name) => {
    const text = headerText(headers, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return JSON.stringify({
    partition,
    offset,
    timestamp: timestamp === undefined ? null : isoText(timestamp),
    replayed,
    ...Object.fromEntries(known),
  });
}

export const titles: readonly string[] = [
  'FAILED AT',
  'REASON',
  'REPLAYED',
  'CONFIGURATION',
  'CERTIFICATE',
  'OWNER',
  'ATTEMPTS',
  'PLACE',
  'SOURCE',
  'FAILURE',
];

/** Formats one row. `oneLine` bounds the length of foreign texts. */
export function cellsOf(letter: DeadLetter, replayed: boolean): readonly string[] {
  const { record, reason, webhookId, certificateId, ownerId, failedAt, source } = letter;
  const text = (name: string): string | undefined => headerText(record.headers, name);
  const failure = [text(headerNames.failureReason), text(headerNames.failureMessage)];
  return [
    isoText(failedAt),
    reason ?? '-',
    replayed ? 'yes' : 'no',
    webhookId ?? '-',
    certificateId ?? '-',
    ownerId ?? '-',
    letter.of === 'delivery' ? (text(headerNames.attempt) ?? '-') : '-',
    `${record.partition}/${record.offset}`,
    source,
    failure.filter((part) => part !== undefined).join(': ') || '-',
  ].map(oneLine);
}

function isoText(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString();
}
