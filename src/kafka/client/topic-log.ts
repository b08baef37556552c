import type { HeaderLimits, RecordHeaders } from '../../certificates/record.ts';

/** A topic read without a consumer group. There are no commits and no rebalances, and it needs no right but Read. */
export interface TopicLog<Found extends LogRecord = LogRecord> extends AsyncDisposable {
  /** Connects if necessary, and asks for the topic's id and leaders. Rejects if the topic does not exist. */
  refresh(): Promise<void>;
  /** Returns the topic's id as of the last refresh. Undefined if the brokers do not report ids. */
  id(): string | undefined;
  /** Returns the id of the cluster as of the last refresh, if it has one. */
  clusterId(): string | undefined;
  /** Returns the leading broker of each partition as of the last refresh. */
  leaders(): ReadonlyMap<number, number>;
  starts(partitions: readonly number[]): Promise<Offsets>;
  /** Returns the end of each partition that the topic has now. Refreshes its id and leaders. */
  ends(): Promise<Offsets>;
  /** Fetches records from one broker, which waits for `waitMs` if there are none, or else for 250 ms. */
  fetch(leader: number, positions: Offsets, waitMs?: number): Promise<readonly FetchedPartition<Found>[]>;
}

/** A topic log whose records have offsets, timestamps and headers, and that finds offsets by time. */
export interface FullTopicLog extends TopicLog<FullRecord> {
  /** Returns the offset of each partition's first record at or after this time (epoch milliseconds), or its end. */
  offsetsForTime(partitions: readonly number[], epochMs: number): Promise<Offsets>;
}

/** Offsets by partition. */
export type Offsets = ReadonlyMap<number, number>;

export interface FetchedPartition<Found extends LogRecord = LogRecord> {
  readonly partition: number;
  readonly from: number;
  /** The offset to ask for next. Skips offsets that were compacted away. */
  readonly next: number;
  /** The high watermark. Records below it may belong to open transactions, or wait behind them. */
  readonly end: number;
  /** The last stable offset: the first one of an open transaction, or else the end. Nothing behind it can be read yet. */
  readonly stableEnd: number;
  /** Records without those of aborted transactions. Their buffers are slices of the whole response. */
  readonly records: readonly Found[];
}

export interface LogFetchOptions {
  /** Headers beyond these are not built. By default those that a record may have. */
  readonly headers?: HeaderLimits | undefined;
  /** A fetch takes at most this much of each partition, unless one record has more. */
  readonly maxPartitionBytes?: number;
}

export interface TopicLogOptions extends LogFetchOptions {
  /** True if open transactions end the log. Otherwise it ends at the high watermark, with all that is acknowledged. */
  readonly endsAtTransactions?: boolean;
}

/** Options for readers that need no headers: they are not built. */
export const withoutHeaders: LogFetchOptions = { headers: { count: 0, bytes: 0 } };

export interface LogRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** Epoch milliseconds in decimal digits. -1 in a record that has none. */
  readonly timestamp: string;
}

export interface FullRecord extends LogRecord {
  readonly offset: string;
  readonly headers?: RecordHeaders;
  readonly headersOmitted?: boolean;
}
