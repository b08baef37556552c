import type { SourceRecord } from '../certificates/record.ts';
import { sizeBytes } from './source-record.ts';

/**
 * What a fetch has brought and could not be taken in yet. Fetched again, as kafkajs does it, a backlog was decoded up to
 * three times.
 */
export interface Rest {
  readonly records: readonly SourceRecord[];
  readonly bytes: number;
  /** Where reading goes on behind them. */
  readonly end: number;
}

export function restOf(records: readonly SourceRecord[], end: number): Rest {
  return { records, bytes: records.reduce((sum, record) => sum + sizeBytes(record), 0), end };
}
