import type { FullRecord, FetchedPartition, Offsets, FullTopicLog } from '../client/topic-log.ts';
import type { Kafka } from '../client/kafka.ts';
import { type SourceRecord, headerLimits } from '../../certificates/record.ts';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { kafkaErrorType } from '../client/faults.ts';
import { asSourceRecord } from '../records/fetched-records.ts';
import { partitionKey } from '../client/consumer.ts';
import { collectGarbage } from './collect-garbage.ts';
import { logMark, type LogMark } from '../consumer/commits/commit-metadata.ts';
import { assertMoving, standstillPauseMs } from './topic-positions.ts';

interface TopicScanOptions {
  /** A client with the purpose `admin`. */
  readonly kafka: Kafka;
  readonly topic: string;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
}

/** Tries of one fetch. The waits between them are 11 s in all, which outlasts a change of leadership. */
const maxTries = 8;

/**
 * The bytes of records after which garbage is collected, so that a scan of any topic needs little memory. With 1 MiB the peak
 * over 50,000 dead letters was 124 to 145 MiB. With this it is 113 to 115.
 */
const mostGarbageBytes = 256 * 1024;
/** The bytes of one answer, unless one record has more. Dead letters of all partitions are merged, with a chunk of each. */
const chunkBytes = 256 * 1024;
/** A dead letter has our headers beside those of its record. */
const scannedHeaders = { count: headerLimits.count + 64, bytes: 2 * headerLimits.bytes };

/** Opens a scan of what the topic holds now. Rejects when Kafka can't be reached or refuses. */
export async function openScan(options: TopicScanOptions): Promise<TopicScan> {
  await using stack = new AsyncDisposableStack();
  const log = stack.use(
    options.kafka.openLog(options.topic, {
      endsAtTransactions: true,
      maxPartitionBytes: chunkBytes,
      headers: scannedHeaders,
    }),
  );
  await log.refresh();
  const partitions = [...log.leaders().keys()].toSorted((one, other) => one - other);
  const [starts, ends] = [await log.starts(partitions), await log.ends()];
  stack.move();
  return new TopicScan(options, log, { starts, ends, partitions });
}

export type ScannedTopic = Pick<TopicScan, 'topic' | 'partitions' | 'offsets' | 'offsetsForTime' | 'read' | 'readAll'>;

interface ScanRange {
  readonly partitions: readonly number[];
  readonly starts: Offsets;
  /** Records from here on were written later, or behind a transaction that is open. The group reads those later, too. */
  readonly ends: Offsets;
}

/**
 * Reads what a topic held when the scan was opened, without a consumer group. Owns the topic's log, and the range of offsets
 * of each partition, which never changes. Each call of `read` goes through the range on its own, so it can be repeated.
 *
 * One fetch of `read` ends in one of these ways:
 *
 * | Result                | What follows                                                                      |
 * | --------------------- | --------------------------------------------------------------------------------- |
 * | records               | A chunk is yielded, and reading goes on at `next`.                                |
 * | nothing               | The fetch is repeated. A minute of that throws, because nothing is skipped.       |
 * | `OFFSET_OUT_OF_RANGE` | Retention deleted records. A chunk without records skips to the new start.        |
 * | another error         | The leaders are asked for again, and the fetch is repeated. The 8th error throws. |
 * | the signal is aborted | `read` throws.                                                                    |
 *
 * Promises:
 * - The records of a partition come in order, and none at or beyond the end of the range. A command that writes to the topic
 *   that it reads would never finish otherwise.
 * - The offsets of all chunks add up to `offsets(from)`, so that a progress bar ends at 100 %. Chunks without records count.
 * - A chunk holds one answer of a broker, about 256 KiB before it is decompressed. Its records are slices of that answer, so
 *   whatever outlives the chunk must be copied.
 */
export class TopicScan implements AsyncDisposable {
  readonly #options: TopicScanOptions;
  readonly #log: FullTopicLog;
  readonly #range: ScanRange;
  #garbageBytes = 0;

  constructor(options: TopicScanOptions, log: FullTopicLog, range: ScanRange) {
    this.#options = options;
    this.#log = log;
    this.#range = range;
  }

  get topic(): string {
    return this.#options.topic;
  }

  get partitions(): readonly number[] {
    return this.#range.partitions;
  }

  /** The mark of the log, which the commits of a group name. Undefined if the brokers report no topic ids. */
  get mark(): LogMark | undefined {
    const id = this.#log.id();
    return id === undefined ? undefined : logMark(this.#log.clusterId(), id);
  }

  /** Returns the number of offsets from these positions to the ends. There may be fewer records. */
  offsets(from: Offsets = this.#range.starts): number {
    const { starts, ends } = this.#range;
    return this.partitions.reduce((sum, partition) => {
      const start = Math.max(from.get(partition) ?? 0, starts.get(partition) ?? 0);
      return sum + Math.max(0, (ends.get(partition) ?? 0) - start);
    }, 0);
  }

  /** Returns the offset of each partition's first record at or after this time (epoch milliseconds), or its end. */
  offsetsForTime(epochMs: number): Promise<Offsets> {
    return this.#log.offsetsForTime(this.partitions, epochMs);
  }

  /** Yields the partition's records in order, from the start or from this offset. Throws the signal's reason once aborted. */
  async *read(partition: number, from?: number): AsyncGenerator<ScanChunk> {
    const { topic, clock, signal } = this.#options;
    const end = this.#range.ends.get(partition) ?? 0;
    const start = this.#range.starts.get(partition) ?? 0;
    let position = Math.max(start, from ?? start);
    let emptySince: number | undefined;
    while (position < end) {
      signal.throwIfAborted();
      const fetched = await this.#fetch(partition, position);
      const { next, records } = fetched;
      if (next === position) {
        emptySince ??= clock.monotonic();
        assertMoving(topic, emptySince, clock.monotonic(), fetched);
        await sleep(clock, standstillPauseMs, signal);
        continue;
      }
      emptySince = undefined;
      const wanted = records.filter(({ offset }) => Number(offset) < end);
      yield {
        records: wanted.map((record) => asSourceRecord(topic, partition, record)),
        offsets: Math.min(next, end) - position,
      };
      position = next;
    }
  }

  /** Yields the records of all partitions, one partition after the other. */
  async *readAll(from?: Offsets): AsyncGenerator<ScanChunk> {
    for (const partition of this.partitions) yield* this.read(partition, from?.get(partition));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  /** Fetches, and tries again because the leadership may be moving. */
  async #fetch(partition: number, position: number): Promise<FetchedPartition<FullRecord>> {
    const { clock, signal } = this.#options;
    const backoff = new Backoff({ firstMs: 100, longestMs: 5_000 });
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryFetch(partition, position);
      } catch (error) {
        if (signal.aborted || tries === maxTries) throw error;
        if (kafkaErrorType(error) === 'OFFSET_OUT_OF_RANGE') return this.#skipDeleted(partition, position, error);
      }
      await sleep(clock, backoff.next(), signal);
      // A failure shows again with the next fetch.
      await this.#log.refresh().catch(() => undefined);
    }
  }

  async #tryFetch(partition: number, position: number): Promise<FetchedPartition<FullRecord>> {
    if (this.#garbageBytes > mostGarbageBytes) {
      this.#garbageBytes = 0;
      collectGarbage();
    }
    const leader = this.#log.leaders().get(partition) ?? -1;
    const [fetched] = await this.#log.fetch(leader, new Map([[partition, position]]));
    if (fetched === undefined) throw new Error(`no answer for ${partitionKey(this.topic, partition)}`);
    this.#garbageBytes += fetched.records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    return fetched;
  }

  /** Skips records that retention deleted. Throws the error if the log does not begin later than `from`. */
  async #skipDeleted(partition: number, from: number, error: unknown): Promise<FetchedPartition<FullRecord>> {
    const start = (await this.#log.starts([partition])).get(partition) ?? from;
    if (start <= from) throw error;
    return { partition, from, next: start, end: start, stableEnd: start, records: [] };
  }
}

interface ScanChunk {
  readonly records: readonly SourceRecord[];
  /** Number of offsets that this chunk covers, including those without a record. */
  readonly offsets: number;
}
