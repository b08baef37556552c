import { batchLength, isFullBatch, maxBatchRecords, recordBytes, type OutgoingRecord } from './batch.ts';

interface Queued<Item> {
  readonly item: Item;
  readonly queuedAt: number;
  readonly bytes: number;
}

/** Records that wait to be written, and leave in their order, a batch at a time. */
export class BatchQueue<Item extends { readonly record: OutgoingRecord }> {
  #queued: Queued<Item>[] = [];
  #bytes = 0;

  /** Since when the first of them has been waiting. */
  get oldestQueuedAt(): number | undefined {
    return this.#queued[0]?.queuedAt;
  }

  /** Whether a batch has no place for more. */
  get isFull(): boolean {
    return isFullBatch(this.#queued.length, this.#bytes);
  }

  push(item: Item, now: number): void {
    const bytes = recordBytes(item.record);
    this.#queued.push({ item, queuedAt: now, bytes });
    this.#bytes += bytes;
  }

  /** The next batch. */
  shift(): readonly Item[] {
    // There may be thousands behind them, when the brokers have been away.
    const first = this.#queued.slice(0, maxBatchRecords);
    const batch = this.#queued.splice(0, batchLength(first.map(({ item }) => item.record)));
    for (const { bytes } of batch) this.#bytes -= bytes;
    return batch.map(({ item }) => item);
  }

  clear(): void {
    this.#queued = [];
    this.#bytes = 0;
  }
}
