import type { OutgoingHeaders } from '../records/headers.ts';

/** A record as it is to be written. */
export interface OutgoingRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: OutgoingHeaders;
}

/**
 * kafkajs encodes a batch in one go, and nothing else happens meanwhile: one owner's burst must not make others wait for
 * that. A broker closes on a request that is far too long.
 */
export const maxBatchRecords = 100;
const maxBatchBytes = 512 * 1024;

/** How many of these, from the first on, go into one batch: one at least. */
export function batchLength(records: readonly OutgoingRecord[]): number {
  let bytes = 0;
  const end = records.findIndex((record, index) => {
    bytes += recordBytes(record);
    return index === maxBatchRecords || (index > 0 && bytes > maxBatchBytes);
  });
  return end === -1 ? records.length : end;
}

/** Whether a batch of so many records, and bytes, has no place for more. */
export function isFullBatch(records: number, bytes: number): boolean {
  return records >= maxBatchRecords || bytes >= maxBatchBytes;
}

export function recordBytes({ key, value, headers }: OutgoingRecord): number {
  const own = (key?.length ?? 0) + (value?.length ?? 0);
  return headers.reduce((sum, [name, content]) => sum + name.length + Buffer.byteLength(content), own);
}

const longestLingerMs = 500;

/** How long a record waits for a batch to fill: hardly longer than it takes anyway until a retry is due. */
export function lingerMs(shortestDelayMs: number): number {
  return Math.min(shortestDelayMs / 20, longestLingerMs);
}

const firstRetryMs = 250;
const longestRetryMs = 10_000;

/** How long to wait after the n-th failure in a row, from 1: doubling, between half and all of it by chance. */
export function writeRetryMs(failures: number, random: () => number): number {
  const longest = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
  return Math.round(longest * (0.5 + random() / 2));
}
