import type { Broker } from 'kafkajs';
import { loadInternals } from '../kafkajs/load.ts';
import type { FetchAnswer, FetchRequest, PartitionData } from '../kafkajs/internals.ts';
import { unreadableOf } from '../kafkajs/batches/unreadable-batches.ts';
import type { FullRecord, LogRecord } from '../records/source-record.ts';

/** Offsets by partition. */
export type Offsets = ReadonlyMap<number, number>;

export interface FetchedPartition<Found extends LogRecord = LogRecord> {
  readonly partition: number;
  /** The offset that was asked for. */
  readonly from: number;
  /** The offset to ask for next. Skips offsets that were compacted away. */
  readonly next: number;
  /** The last stable offset, which is the end for a reader of committed records. */
  readonly end: number;
  /** Records without those of aborted transactions. Their buffers are slices of the whole response. */
  readonly records: readonly Found[];
}

export interface LogFetchOptions extends Pick<FetchRequest, 'headers'> {
  /** A fetch takes at most this much of each partition, unless one record has more. */
  readonly maxPartitionBytes?: number;
}

/** Time in ms for which a broker holds back an empty answer, unless the caller asks for another time. */
const usualWaitMs = 250;
/** Limit of bytes in one answer, so that decoding it blocks the event loop for some milliseconds only. */
const maxBytes = 2 * 1024 * 1024;
/** Kafka's code of the isolation level `read_committed`. */
const readCommitted = 1;
/**
 * Time in ms with empty answers in a row after which the rest of a partition counts as removed. A broker that reads from
 * tiered storage gives an empty answer whenever that takes longer than its limit, which is 0.5 s by default.
 */
const emptyLongEnoughMs = 30_000;

/**
 * Fetches from the partitions of one topic. Owns the time with empty answers of each partition that ends later.
 *
 * | Answer for a partition                     | What follows                                                      |
 * | ------------------------------------------ | ----------------------------------------------------------------- |
 * | with records                               | The position moves past the last one, or past its batch.          |
 * | empty at the end                           | The position stays.                                               |
 * | empty below the end, others have records   | It is asked for alone. The others may have filled the answer.     |
 * | empty below the end, and nothing else came | Its wait counts. The position moves to the end after 30 s of that. |
 *
 * Kafka keeps the last batch of what it compacts (KAFKA-17076), so a position moves past nearly all that was removed. The
 * last rule is for what other versions remove below an open transaction.
 */
export class LogFetch {
  readonly #topic: string;
  readonly #options: LogFetchOptions;
  readonly #Batch = loadInternals().Batch;
  readonly #emptyWaits = new Map<number, { readonly from: number; readonly ms: number }>();

  constructor(topic: string, options: LogFetchOptions = {}) {
    this.#topic = topic;
    this.#options = options;
  }

  /** Fetches from one broker, which waits for up to `waitMs` if there are no records. */
  async fetch(
    broker: Pick<Broker, 'fetch'>,
    positions: Offsets,
    waitMs: number = usualWaitMs,
  ): Promise<readonly FetchedPartition<FullRecord>[]> {
    const answers = await this.#ask(broker, positions, waitMs);
    const leftOut = answers.find((data) => isLeftOut(data, positions));
    const read = (data: PartitionData): FetchedPartition<FullRecord> => this.#read(data, positions, waitMs);
    if (leftOut === undefined || answers.every(isEmpty)) return answers.map(read);
    const { partition } = leftOut;
    const alone = await this.#ask(broker, new Map([[partition, positions.get(partition) ?? 0]]), waitMs);
    const others = answers.filter((data) => !isLeftOut(data, positions));
    return [...others, ...alone].map(read);
  }

  async #ask(broker: Pick<Broker, 'fetch'>, positions: Offsets, waitMs: number): Promise<readonly PartitionData[]> {
    const { headers, maxPartitionBytes = maxBytes / 2 } = this.#options;
    const partitions = [...positions].map(([partition, position]) => ({
      partition,
      fetchOffset: String(position),
      maxBytes: maxPartitionBytes,
    }));
    const request: FetchRequest = {
      maxWaitTime: Math.ceil(waitMs),
      minBytes: 1,
      maxBytes,
      isolationLevel: readCommitted,
      topics: [{ topic: this.#topic, partitions }],
      headers,
    };
    const answer: FetchAnswer = await broker.fetch(request);
    return answer.responses.flatMap(({ partitions: found }) => found);
  }

  #read(data: PartitionData, positions: Offsets, waitMs: number): FetchedPartition<FullRecord> {
    const unreadable = unreadableOf(data.messages);
    if (unreadable !== undefined) throw unreadable;
    const { partition } = data;
    const from = positions.get(partition) ?? 0;
    return {
      partition,
      from,
      next: this.#next(data, from, waitMs),
      end: Number(data.lastStableOffset),
      records: new this.#Batch(this.#topic, String(from), data).messages,
    };
  }

  #next({ partition, messages, lastStableOffset }: PartitionData, from: number, waitMs: number): number {
    const before = this.#emptyWaits.get(partition);
    this.#emptyWaits.delete(partition);
    const last = messages.at(-1);
    if (last !== undefined) return Math.max(from, Number(last.offset) + 1);
    const end = Math.max(from, Number(lastStableOffset));
    const ms = waitMs + (before?.from === from ? before.ms : 0);
    if (end === from || ms >= emptyLongEnoughMs) return end;
    this.#emptyWaits.set(partition, { from, ms });
    return from;
  }
}

function isEmpty({ messages }: PartitionData): boolean {
  return messages.length === 0;
}

/** Returns true for a partition that has no records in the answer, and ends later. */
function isLeftOut(data: PartitionData, positions: Offsets): boolean {
  return (
    isEmpty(data) &&
    unreadableOf(data.messages) === undefined &&
    Number(data.lastStableOffset) > (positions.get(data.partition) ?? 0)
  );
}
