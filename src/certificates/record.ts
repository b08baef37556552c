/** Header names and values in the order of the record. A name may occur several times, and a value may be null. */
export type RecordHeaders = readonly (readonly [name: string, value: Buffer | null])[];

/** One Kafka message as received. Its buffers are copies, so they do not keep the fetch response in memory. */
export interface SourceRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds. Undefined when the record has no timestamp. */
  readonly timestamp: number | undefined;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;
  /** True if it has more headers than a record may have. None of them is there then. */
  readonly headersOmitted?: true;
}

/** Returns the last value of that name, like Kafka's `lastHeader`. An empty value and null count as absent. */
export function lastHeader(headers: RecordHeaders, name: string): Buffer | undefined {
  const value = headers.findLast(([key]) => key === name)?.[1];
  return value === undefined || value === null || value.length === 0 ? undefined : value;
}

/** Returns the text of the last value of that name. Bytes that are not UTF-8 are replaced. */
export function headerText(headers: RecordHeaders, name: string): string | undefined {
  return lastHeader(headers, name)?.toString('utf8');
}
