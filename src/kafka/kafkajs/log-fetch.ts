import type { Broker } from 'kafkajs';
import type { FetchedPartition, FullRecord, LogFetchOptions, Offsets } from '../client/topic-log.ts';
import { loadInternals } from './load.ts';
import type { FetchAnswer, FetchRequest, PartitionData } from './internals.ts';
import { unreadableOf } from './repairs/unreadable-batches.ts';

/** Time in ms for which a broker holds back an empty answer, unless the caller asks for another time. */
const usualWaitMs = 250;
/** Limit of bytes in one answer, so that decoding it blocks the event loop for some milliseconds only. */
const maxBytes = 2 * 1024 * 1024;
/** Kafka's code of the isolation level `read_committed`. */
const readCommitted = 1;
/**
 * Fetches from the partitions of one topic. It has no state.
 *
 * | Answer for a partition                      | What follows                                              |
 * | ------------------------------------------- | --------------------------------------------------------- |
 * | with records                                | The position moves past the last one, or past its batch.  |
 * | without records                             | The position stays.                                       |
 * | without records that could be read, beside others with some | It is asked for alone. The others may have filled the answer. |
 *
 * Only a record or the rest of its batch moves a position, so a broker that answers without records hides none. One that reads
 * from tiered storage does so whenever that takes longer than its limit. Kafka keeps the last batch of what it compacts
 * (KAFKA-17076), so the end is reached.
 */
export class LogFetch {
  readonly #topic: string;
  readonly #options: LogFetchOptions;
  readonly #Batch = loadInternals().Batch;

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
    const read = (data: PartitionData): FetchedPartition<FullRecord> => this.#read(data, positions);
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

  #read(data: PartitionData, positions: Offsets): FetchedPartition<FullRecord> {
    const unreadable = unreadableOf(data.messages);
    if (unreadable !== undefined) throw unreadable;
    const { partition } = data;
    const from = positions.get(partition) ?? 0;
    return {
      partition,
      from,
      next: Math.max(from, Number(data.messages.at(-1)?.offset ?? -1) + 1),
      end: Number(data.highWatermark),
      stableEnd: Number(data.lastStableOffset),
      records: new this.#Batch(this.#topic, String(from), data).messages,
    };
  }
}

function isEmpty({ messages }: PartitionData): boolean {
  return messages.length === 0;
}

/** Returns true for a partition that has no records in the answer, although some could be read. */
function isLeftOut(data: PartitionData, positions: Offsets): boolean {
  return (
    isEmpty(data) &&
    unreadableOf(data.messages) === undefined &&
    Number(data.lastStableOffset) > (positions.get(data.partition) ?? 0)
  );
}
