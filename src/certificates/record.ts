/** Header names and values in the order of the record. A name may stand there more than once. */
export type RecordHeaders = readonly (readonly [name: string, value: Buffer])[];

/** One Kafka message as received. Its buffers are its own: nothing of the fetch response is kept alive by them. */
export interface SourceRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds; undefined when the record has none. */
  readonly timestamp: number | undefined;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;
}

/** The last value of that name, as Kafka's own `lastHeader` has it; an empty one counts as absent. */
export function headerText(headers: RecordHeaders, name: string): string | undefined {
  const value = headers.findLast(([key]) => key === name)?.[1];
  return value === undefined || value.length === 0 ? undefined : value.toString('utf8');
}
