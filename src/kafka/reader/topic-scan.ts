import type { Kafka } from 'kafkajs';
import type { SourceRecord } from '../../certificates/record.ts';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import { asSourceRecord } from '../records/source-record.ts';
import { openTopicLog, type FetchedPartition, type Offsets, type FullTopicLog } from './topic-log.ts';
import type { FullRecord } from '../records/source-record.ts';

interface TopicScanOptions {
  /** A client for asking. */
  readonly kafka: Kafka;
  readonly topic: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Failures in a row that a change of leadership explains; some twenty seconds in all. */
const maxTries = 8;

/** Finds out where the topic begins and ends. Rejects when Kafka can't be reached or refuses. */
export async function openScan(options: TopicScanOptions): Promise<TopicScan> {
  await using stack = new AsyncDisposableStack();
  const log = stack.use(openTopicLog(options.kafka, options.topic));
  await log.refresh();
  const partitions = [...log.leaders().keys()].toSorted((one, other) => one - other);
  const [starts, ends] = [await log.starts(partitions), await log.ends(partitions)];
  stack.move();
  return new TopicScan(options, log, { starts, ends, partitions });
}

interface ScanRange {
  readonly partitions: readonly number[];
  readonly starts: Offsets;
  /** What is written later is not read. */
  readonly ends: Offsets;
}

/** Reads what a topic held when the scan was opened: as often as asked, a partition at a time, in pieces of a megabyte. */
export class TopicScan implements AsyncDisposable {
  readonly #options: TopicScanOptions;
  readonly #log: FullTopicLog;
  readonly #range: ScanRange;

  constructor(options: TopicScanOptions, log: FullTopicLog, extent: ScanRange) {
    this.#options = options;
    this.#log = log;
    this.#range = extent;
  }

  get topic(): string {
    return this.#options.topic;
  }

  get partitions(): readonly number[] {
    return this.#range.partitions;
  }

  /** Offsets from there to the ends, as many as there are records at most. */
  offsets(from: Offsets = this.#range.starts): number {
    const { starts, ends } = this.#range;
    return this.partitions.reduce((sum, partition) => {
      const start = Math.max(from.get(partition) ?? 0, starts.get(partition) ?? 0);
      return sum + Math.max(0, (ends.get(partition) ?? 0) - start);
    }, 0);
  }

  /** Where each partition has its first record of that time (epoch milliseconds) or later; its end if it has none. */
  offsetsForTime(at: number): Promise<Offsets> {
    return this.#log.offsetsForTime(this.partitions, at);
  }

  /** The partition's records from the first one or that offset on, in order. Throws the signal's reason once aborted. */
  async *read(partition: number, from?: number): AsyncGenerator<ScanChunk> {
    const { topic, signal } = this.#options;
    const end = this.#range.ends.get(partition) ?? 0;
    const start = this.#range.starts.get(partition) ?? 0;
    let position = Math.max(start, from ?? start);
    while (position < end) {
      signal.throwIfAborted();
      const { next, records } = await this.#fetch(partition, position);
      const wanted = records.filter(({ offset }) => Number(offset) < end);
      yield {
        records: wanted.map((record) => asSourceRecord(topic, partition, record)),
        offsets: Math.min(next, end) - position,
      };
      position = next;
    }
  }

  /** Of all partitions, one after the other. */
  async *readAll(from?: Offsets): AsyncGenerator<ScanChunk> {
    for (const partition of this.partitions) yield* this.read(partition, from?.get(partition));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  /** Tries again while a leadership may be moving. */
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
      // Whether this is the moment to ask shows with the next fetch.
      await this.#log.refresh().catch(() => undefined);
    }
  }

  async #tryFetch(partition: number, position: number): Promise<FetchedPartition<FullRecord>> {
    const leader = this.#log.leaders().get(partition) ?? -1;
    const [fetched] = await this.#log.fetch(leader, new Map([[partition, position]]));
    if (fetched === undefined) throw new Error(`no answer for ${this.topic}/${String(partition)}`);
    return fetched;
  }

  /** Retention has overtaken us: what is left begins further on. */
  async #skipDeleted(partition: number, from: number, error: unknown): Promise<FetchedPartition<FullRecord>> {
    const start = (await this.#log.starts([partition])).get(partition) ?? from;
    if (start <= from) throw error;
    return { partition, from, next: start, end: start, records: [] };
  }
}

interface ScanChunk {
  readonly records: readonly SourceRecord[];
  /** How far this one goes: offsets that hold no record count, too. */
  readonly offsets: number;
}
